#pragma once

#include <cstdint>

#include "common/config/config_section.h"
#include "decoding/sampling_config.h"

namespace gloss {

enum class LengthPenaltyKind { kPower, kGnmt };

/// `decoding` of the run file.
struct DecodingConfig {
  static constexpr std::int64_t kLargestBeam = 1000;
  static constexpr std::int64_t kLongest = 4096;
  static constexpr std::int64_t kLargestBatch = 65536;
  static constexpr double kLargestLengthPenalty = 10;
  static constexpr double kLargestPatience = 100;
  static constexpr double kLargestCoveragePenalty = 10;
  static constexpr double kLargestRepetitionPenalty = 10;
  static constexpr std::int64_t kLongestNgram = 100;

  std::int64_t beam_size = 5;   ///< 1: greedy
  double length_penalty = 1.0;  ///< 0: scores are sums of log-probabilities
  LengthPenaltyKind length_penalty_kind = LengthPenaltyKind::kPower;
  /// beta of Wu et al. 2016, equation 14: what is added to the score of a translation that leaves parts of its source
  /// unattended (hypothesis.h). Ranks what a beam finishes; no effect on which token greedy search and sampling take.
  double coverage_penalty = 0;
  /// A sentence is done with beam_size * patience finished hypotheses (Kasai et al. 2022): below 1 sooner, above 1
  /// later. No effect on greedy search, nor where length_penalty is 0 and n_best 1: there the search goes on until no
  /// live hypothesis can win, and not beyond.
  double patience = 1.0;
  std::int64_t max_length = 256;     ///< tokens of a target, eos included; a longer one ends as it stands
  std::int64_t min_length = 0;       ///< tokens before the eos, which is banned until then; 0: nothing is banned
  std::int64_t no_repeat_ngram = 0;  ///< no n-gram of this length is said twice; 0: any may be
  /// Logits of tokens that were said are divided by it, negative ones multiplied, before they are normalized (Keskar et
  /// al. 2019, section 4.1, with the sign minded): scores are of what is left. 1: no effect.
  double repetition_penalty = 1.0;
  bool no_unk = false;  ///< unk is banned
  /// Hypotheses a sentence, at most beam_size; any number where they are drawn. `gloss translate` prints one line for
  /// each line unless --n-best says more, and what scores a translation looks at the best only.
  std::int64_t n_best = 1;
  std::int64_t batch_size = 64;  ///< sentences searched together
  SamplingConfig sampling = {};  ///< where enabled, beam_size, patience and coverage_penalty have no effect

  /// beam_size * patience, rounded; at least 1.
  std::int64_t enough_finished() const;

  /// Throws UsageError naming the key.
  void validate() const;
};

/// Reads the section and validates nothing.
DecodingConfig read_decoding_config(ConfigSection section);
Json to_json(const DecodingConfig& config);

}  // namespace gloss
