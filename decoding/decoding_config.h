#pragma once

#include <cstdint>
#include <string>

#include "common/config/config_section.h"
#include "common/config/setting.h"

namespace gloss {

enum class LengthPenaltyKind { kPower, kGnmt };

/// `decoding.sampling` of the run file: translations are drawn at random instead of searched for.
struct SamplingConfig {
  bool enabled = false;      ///< false: greedy or beam search
  double temperature = 1.0;  ///< divides the logits: below 1 likely tokens become likelier
  std::int64_t top_k = 0;    ///< draws from the k likeliest tokens (Fan et al. 2018); 0: from all
  /// Keeps the smallest set of these tokens whose probability reaches this share (Holtzman et al. 2020).
  double top_p = 1.0;
  std::int64_t seed = 1;  ///< of the draws

  bool operator==(const SamplingConfig&) const = default;
};

/// `decoding` of the run file. Ranges and names: decoding_settings().
struct DecodingConfig {
  static constexpr std::int64_t kMaxTargetLength = 4096;  ///< upper bound of max_length

  std::int64_t beam_size = 5;   ///< 1: greedy
  double length_penalty = 1.0;  ///< 0: scores are sums of log-probabilities
  LengthPenaltyKind length_penalty_kind = LengthPenaltyKind::kPower;
  /// Coverage penalty (Wu et al. 2016, eq. 14, beta; hypothesis.h). Ranks the hypotheses that a beam finishes; no
  /// effect on which token greedy search and sampling take. 0 turns it off.
  double coverage_penalty = 0;
  /// A sentence is done with beam_size * patience finished hypotheses (Kasai et al. 2022): below 1 sooner, above 1
  /// later. No effect on greedy search, and if length_penalty is 0 and n_best 1: such a search ends as soon as no live
  /// hypothesis can win.
  double patience = 1.0;
  /// Each finished hypothesis of a sentence lowers its beam by one, as in Marian: a step considers only as many
  /// continuations as the beam has rows. false: a beam keeps its rows.
  bool shrinking_beam = false;
  std::int64_t max_length = 256;     ///< tokens of a target, eos included; a longer one ends as it stands
  double max_length_factor = 0;      ///< lowers max_length to this many tokens for each of the source; 0: it does not
  std::int64_t min_length = 0;       ///< tokens before the eos, which is banned until then; 0: eos is never banned
  std::int64_t no_repeat_ngram = 0;  ///< no n-gram of this length is generated twice; 0: no limit
  /// Divides the logits of tokens that were generated, and multiplies negative ones, before they are normalized (Keskar
  /// et al. 2019, section 4.1): scores use the probabilities after that. 1: no effect.
  double repetition_penalty = 1.0;
  bool no_unk = false;    ///< unk is banned
  bool shortlist = true;  ///< of a model that has one, on the CPU; false: all tokens of its vocabulary
  /// Hypotheses per sentence, at most beam_size; any number with sampling. `gloss translate` prints one line for
  /// each line unless --n-best is given; scores of translations use the best one only.
  std::int64_t n_best = 1;
  std::int64_t batch_size = 64;     ///< sentences searched together
  std::string alignment_from = {};  ///< the attention of alignments (AttentionSite); empty: the last decoder layer's
  SamplingConfig sampling = {};     ///< if enabled, beam_size, patience and coverage_penalty have no effect

  /// Returns beam_size * patience, rounded; at least 1.
  std::int64_t enough_finished() const;

  /// Throws UsageError naming the key.
  void validate() const;
  bool operator==(const DecodingConfig&) const = default;
};

/// Returns a greedy search with the same limits and penalties: for validation, which has to be quick.
DecodingConfig greedy_decoding(DecodingConfig config);

/// Returns the declarations of the section's keys.
const Settings<DecodingConfig>& decoding_settings();

/// Reads the section without validating it.
DecodingConfig read_decoding_config(ConfigSection section);
Json to_json(const DecodingConfig& config);

}  // namespace gloss
