#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "model/padding.h"
#include "model/part.h"

namespace gloss {

class DeviceScorer;

/// The interface of a model for a search. A scorer is const and shared between threads; everything that changes is in
/// State. Rows are sentence-major: row b * K + k is beam k of sentence b.
///
/// Tokens and rows are passed in memory of the host, where searches decide. A scorer on a device copies them there,
/// some bytes for each row, without waiting for the device (tensor/to_device.h), and keeps its cache there.
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
    at::Tensor attention;       ///< [B * K, S] of the site if requested and the model has it, otherwise undefined
  };

  /// The result of a step of which the likeliest tokens matter alone.
  struct TopStep : TopTokens {
    at::Tensor attention;  ///< as in Step
  };

  virtual ~Scorer() = default;

  /// Encodes the source, [B, S] pieces and eos. The state has one row for each sentence.
  virtual std::unique_ptr<State> start(const PaddedIds& source) const = 0;
  /// Does the same for a search. A model with a shortlist restricts the tokens of each sentence to its list and
  /// `wanted` [B], those that the search may force: all others have logits of -inf, and no part in the log-normalizer.
  virtual std::unique_ptr<State> start_with_shortlist(const PaddedIds& source, std::span<const Ids> wanted) const;
  /// Appends the tokens [B * K] (bos first) and returns the scores of the next ones. The caller may change the logits.
  /// `site`: the attention to return; absent: none.
  virtual Step step(State& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const = 0;
  /// Does the same step and returns the `width` most likely tokens of each row, 1 <= width <= V. A scorer that finds
  /// them without computing all logits overrides this; the numbers must be those of `step`.
  virtual TopStep step_top(State& state, std::span<const Id> tokens, std::int64_t width,
                           const std::optional<AttentionSite>& site = std::nullopt) const;
  /// Does the same step and returns the scores of one given token of each row, `next` [B * K].
  virtual TokenScores step_forced(State& state, std::span<const Id> tokens, std::span<const Id> next) const;
  /// Does the same step for its attention alone. A state that has taken such a step takes no other, and keeps its site.
  virtual at::Tensor step_attention(State& state, std::span<const Id> tokens, const AttentionSite& site) const;
  /// Keeps the given sentences, in that order, and of each the rows `parents` [B' * K'] (0 <= parent < K). So rows are
  /// reordered, duplicated and dropped.
  virtual void select(State& state, const std::vector<std::int64_t>& sentences,
                      const std::vector<std::int64_t>& parents) const = 0;

  virtual std::int64_t vocabulary_size() const = 0;
  /// Returns the maximum number of tokens of a target, eos included.
  virtual std::int64_t max_target_length() const = 0;
  virtual at::Device device() const = 0;
  /// Returns the scorer itself if a search may stay on its device. Null: every search decides on the host.
  virtual const DeviceScorer* on_device() const { return nullptr; }
};

/// Steps of a scorer whose tokens and rows are on its device, so that the host need not wait for one before the next.
class DeviceScorer {
 public:
  virtual ~DeviceScorer() = default;
  /// Does Scorer::step without attention; tokens: int64 [B * K].
  virtual Scorer::Step step_on_device(Scorer::State& state, const at::Tensor& tokens) const = 0;
  /// Replaces the rows of all sentences by old rows of the same sentences; rows: int64 [B * K'].
  virtual void reorder(Scorer::State& state, const at::Tensor& rows) const = 0;
};

/// Returns the `width` most likely tokens of each row of a step, 1 <= width <= V.
TopTokens top_tokens_of(const Scorer::Step& step, std::int64_t width);

}  // namespace gloss
