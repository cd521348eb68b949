#pragma once

#include <cstdint>

#include "common/config/config_section.h"

namespace gloss {

/// `decoding.sampling` of the run file: translations that are drawn, not searched for.
struct SamplingConfig {
  static constexpr std::int64_t kLargestTopK = 1'000'000;
  static constexpr double kLargestTemperature = 100;

  bool enabled = false;      ///< false: greedy or beam search
  double temperature = 1.0;  ///< logits are divided by it: below 1 likely tokens become likelier
  std::int64_t top_k = 0;    ///< only the k likeliest tokens (Fan et al. 2018); 0: all
  double top_p = 1.0;        ///< of these the fewest that have this share of the probability (Holtzman et al. 2020)
  std::int64_t seed = 1;     ///< of the draws

  /// Throws UsageError naming the key.
  void validate() const;
};

/// Reads the section and validates nothing.
SamplingConfig read_sampling_config(ConfigSection section);
Json to_json(const SamplingConfig& config);

}  // namespace gloss
