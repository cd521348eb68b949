#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "model/inference/top_tokens.h"
#include "model/padding.h"

namespace gloss {

/// All that a search knows of a model. A scorer is const and shared between threads; everything that changes is in
/// State. Rows are sentence-major: row b * K + k is beam k of sentence b.
class Scorer {
 public:
  class State {
   public:
    virtual ~State() = default;
  };

  /// What a step says of each row's next token.
  struct Step {
    at::Tensor logits;          ///< [B * K, V]
    at::Tensor log_normalizer;  ///< [B * K]: log-probability = logit - log_normalizer
    at::Tensor attention;       ///< [B * K, S] where asked for, else undefined
  };

  virtual ~Scorer() = default;

  /// Reads the source, [B, S] pieces and eos; the state is one row a sentence wide.
  virtual std::unique_ptr<State> start(const PaddedIds& source) const = 0;
  /// Says the tokens [B, K] (int64; bos first) and looks at what may follow. The logits are the caller's to change.
  virtual Step step(State& state, const at::Tensor& tokens, bool with_attention) const = 0;
  /// The same step for a search that ranks: the `width` likeliest tokens of each row, 1 <= width <= V. A scorer that
  /// finds them without all logits says so by an implementation of its own; it must agree with `step`.
  virtual TopTokens step_top(State& state, const at::Tensor& tokens, std::int64_t width) const;
  /// The same step where it is known what each row says next, `next` [B * K]: logits and log-normalizers of that.
  struct TokenScores {
    std::vector<double> logits, log_normalizers;  ///< [B * K] each
  };
  virtual TokenScores step_forced(State& state, const at::Tensor& tokens, std::span<const Id> next) const;
  /// Keeps the sentences named, in that order, and of each the rows `parents` [B' * K'] names (0 <= parent < K): keeps,
  /// reorders, widens and drops what is finished.
  virtual void select(State& state, const std::vector<std::int64_t>& sentences,
                      const std::vector<std::int64_t>& parents) const = 0;

  virtual std::int64_t vocabulary_size() const = 0;
  /// The most tokens, eos included, that a target may have.
  virtual std::int64_t max_target_length() const = 0;
  virtual at::Device device() const = 0;
};

/// The `width` likeliest tokens of each row of a step, 1 <= width <= V.
TopTokens top_tokens_of(const Scorer::Step& step, std::int64_t width);

}  // namespace gloss
