#pragma once

#include <cstdint>

#include "common/config_section.h"

namespace gloss {

enum class LengthPenaltyKind { kPower, kGnmt };

/// `decoding` of the run file.
struct DecodingConfig {
  static constexpr std::int64_t kLargestBeam = 1000;
  static constexpr std::int64_t kLongest = 4096;
  static constexpr std::int64_t kLargestBatch = 65536;
  static constexpr double kLargestLengthPenalty = 10;
  static constexpr double kLargestPatience = 100;

  std::int64_t beam_size = 5;   ///< 1: greedy
  double length_penalty = 1.0;  ///< 0: scores are sums of log-probabilities
  LengthPenaltyKind length_penalty_kind = LengthPenaltyKind::kPower;
  /// A sentence is done with beam_size * patience finished hypotheses (Kasai et al. 2022): below 1 sooner, above 1
  /// later. No effect on greedy search, nor where length_penalty is 0 and n_best 1: there the search goes on until no
  /// live hypothesis can win, and not beyond.
  double patience = 1.0;
  std::int64_t max_length = 256;  ///< tokens of a target, eos included; a longer one ends as it stands
  std::int64_t min_length = 0;    ///< tokens before the eos, which is banned until then; 0: nothing is banned
  /// Hypotheses a sentence, at most beam_size. Of the library: `gloss translate` prints one line for each line unless
  /// --n-best says more, and what scores a translation looks at the best only.
  std::int64_t n_best = 1;
  std::int64_t batch_size = 64;  ///< sentences searched together

  /// beam_size * patience, rounded; at least 1.
  std::int64_t enough_finished() const;

  /// Throws UsageError naming the key.
  void validate() const;
};

/// Reads the section and validates nothing.
DecodingConfig read_decoding_config(ConfigSection section);
Json to_json(const DecodingConfig& config);

}  // namespace gloss
