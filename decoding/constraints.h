#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/decoding_config.h"
#include "decoding/scorer.h"

namespace gloss {

class PhraseProgress;

/// What a translation may say next, and how what it said weighs on that: the options of DecodingConfig that every
/// search obeys, and the beginning that a target is to have. Of each row, in this order:
/// - repetition_penalty rescales the logits of what was said, and the normalizer is found anew;
/// - inside its prefix only the prefix's token may follow, and no ban counts;
/// - else eos is banned before min_length tokens, unk where no_unk, and what would say an n-gram again; never what goes
///   on with a phrase. (PhraseConstraints leaves out eos while phrases are missing.)
/// A ban changes no probability of what is left. Without options a step is the scorer's own.
class Constraints {
 public:
  /// A row of a step.
  struct Row {
    std::int64_t sentence = 0;
    const Ids* said = nullptr;                ///< without bos; none where the row only fills a batch up
    const PhraseProgress* phrases = nullptr;  ///< how far it has come with its sentence's; null: there are none
  };

  /// `prefixes` is of each sentence, or empty. Both must outlive the constraints.
  Constraints(const DecodingConfig& config, std::span<const Ids> prefixes) : config_(&config), prefixes_(prefixes) {}

  /// Scorer::step; what may not follow has a logit of -inf. Throws UsageError where a prefix has a token that is none.
  Scorer::Step step(const Scorer& scorer, Scorer::State& state, std::span<const Id> tokens, std::span<const Row> rows,
                    bool with_attention) const;
  /// Scorer::step_top for the min(width, V) likeliest that may follow; behind the last of these logits are -inf. Has
  /// all logits computed only where some are rescaled or forced.
  TopTokens step_top(const Scorer& scorer, Scorer::State& state, std::span<const Id> tokens, std::span<const Row> rows,
                     std::int64_t width) const;

  /// What may not follow, ascending; nothing inside a prefix.
  Ids banned(const Row& row) const;
  /// The only token that may follow, where the row is inside its prefix.
  std::optional<Id> forced(const Row& row) const;

 private:
  void penalize_repetitions(std::span<const Row> rows, Scorer::Step& step) const;
  void ban(std::span<const Row> rows, at::Tensor& logits) const;
  void force(std::span<const Row> rows, at::Tensor& logits) const;

  const DecodingConfig* config_;
  std::span<const Ids> prefixes_;
};

}  // namespace gloss
