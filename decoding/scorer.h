#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/scored_tokens.h"
#include "common/special_ids.h"
#include "model/padding.h"

namespace gloss {

/// The interface of a model for a search. A scorer is const and shared between threads; everything that changes is in
/// State. Rows are sentence-major: row b * K + k is beam k of sentence b.
class Scorer {
 public:
  class State {
   public:
    virtual ~State() = default;
  };

  /// The result of a step: scores of each row's next token, the log-softmax of the generator in two terms.
  struct Step {
    at::Tensor logits;          ///< [B * K, V]
    at::Tensor log_normalizer;  ///< [B * K]: log-probability = logit - log_normalizer
    at::Tensor attention;       ///< [B * K, S] if requested and the model has it, otherwise undefined
  };

  virtual ~Scorer() = default;

  /// Encodes the source, [B, S] pieces and eos. The state has one row for each sentence.
  virtual std::unique_ptr<State> start(const PaddedIds& source) const = 0;
  /// Appends the tokens [B * K] (bos first) and returns the scores of the next ones. The caller may change the logits.
  virtual Step step(State& state, std::span<const Id> tokens, bool with_attention) const = 0;
  /// Does the same step and returns the `width` most likely tokens of each row, 1 <= width <= V. A scorer that finds
  /// them without computing all logits overrides this; the numbers must be those of `step`.
  virtual TopTokens step_top(State& state, std::span<const Id> tokens, std::int64_t width) const;
  /// Does the same step and returns the scores of one given token of each row, `next` [B * K].
  virtual TokenScores step_forced(State& state, std::span<const Id> tokens, std::span<const Id> next) const;
  /// Keeps the given sentences, in that order, and of each the rows `parents` [B' * K'] (0 <= parent < K). So rows are
  /// reordered, duplicated and dropped.
  virtual void select(State& state, const std::vector<std::int64_t>& sentences,
                      const std::vector<std::int64_t>& parents) const = 0;

  virtual std::int64_t vocabulary_size() const = 0;
  /// Returns the maximum number of tokens of a target, eos included.
  virtual std::int64_t max_target_length() const = 0;
  virtual at::Device device() const = 0;
};

/// Returns the `width` most likely tokens of each row of a step, 1 <= width <= V.
TopTokens top_tokens_of(const Scorer::Step& step, std::int64_t width);

}  // namespace gloss
