#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/decoding_config.h"
#include "decoding/scorer.h"

namespace gloss {

class PhraseProgress;

/// The logit of a token that must not follow.
inline constexpr float kBannedLogit = -std::numeric_limits<float>::infinity();

/// Restricts and rescales the next token: the options of DecodingConfig that every search obeys, and forced prefixes.
/// For each row, in this order:
/// - repetition_penalty rescales the logits of earlier tokens, and the normalizer is computed again;
/// - inside its prefix, only the prefix's token is allowed, and no ban applies; the first tokens of prefixes can be
///   given, which have the probability 1;
/// - otherwise eos is banned before min_length tokens, unk if no_unk is set, and tokens that would repeat an n-gram.
///
/// The next pieces of phrases are never banned. (PhraseConstraints removes eos while phrases are missing.) A ban does
/// not change the probabilities of the other tokens. Without options a step is the scorer's own.
class Constraints {
 public:
  /// A row of a step.
  struct Row {
    std::int64_t sentence = 0;
    std::int64_t length = -1;                 ///< tokens so far, without bos; -1: the row only fills up the batch
    const Ids* generated = nullptr;           ///< these tokens; may be null unless reads_tokens()
    const PhraseProgress* phrases = nullptr;  ///< progress with its sentence's phrases; null if there are none
  };

  /// `prefixes` has one for each sentence, or is empty. Their first `given_tokens` tokens are given. `config` and
  /// `prefixes` must outlive the constraints.
  Constraints(const DecodingConfig& config, std::span<const Ids> prefixes, std::int64_t given_tokens = 0)
      : config_(&config), prefixes_(prefixes), given_tokens_(given_tokens) {}

  /// Returns whether the next token depends on the tokens so far, and not on their number alone.
  bool reads_tokens() const { return config_->repetition_penalty != 1 || config_->no_repeat_ngram > 0; }

  /// Does Scorer::step and sets the logits of forbidden tokens to -inf. Throws UsageError if a token of a prefix is not
  /// in the vocabulary.
  Scorer::Step step(const Scorer& scorer, Scorer::State& state, std::span<const Id> tokens, std::span<const Row> rows,
                    const std::optional<AttentionSite>& site) const;
  /// Does Scorer::step_top and returns the min(width, V) most likely allowed tokens; if there are fewer, the rest has
  /// logits of -inf. All logits are computed only if some are rescaled or forced.
  Scorer::TopStep step_top(const Scorer& scorer, Scorer::State& state, std::span<const Id> tokens,
                           std::span<const Row> rows, std::int64_t width,
                           const std::optional<AttentionSite>& site = std::nullopt) const;

  /// Returns the forbidden tokens, ascending; none inside a prefix.
  Ids banned(const Row& row) const;
  /// Returns the only allowed token if the row is inside its prefix.
  std::optional<Id> forced(const Row& row) const;

 private:
  void penalize_repetitions(std::span<const Row> rows, Scorer::Step& step) const;
  void ban(std::span<const Row> rows, at::Tensor& logits) const;
  void force(std::span<const Row> rows, Scorer::Step& step) const;

  const DecodingConfig* config_;
  std::span<const Ids> prefixes_;
  std::int64_t given_tokens_;
};

}  // namespace gloss
