#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
#include "model/encoder_decoder.h"
#include "model/inference/inference_layers.h"
#include "model/inference/top_tokens.h"
#include "model/part.h"

namespace gloss {

/// The state of decoding token by token: B sentences of K rows each, sentence-major. Keys and values are written once
/// and never moved. A row is a list of pointers to its entries, so selecting rows copies only lists.
struct InferenceState {
  /// Addresses of the keys and values of each position, for all layers: [layers, 2D].
  using Entries = std::vector<const float*>;

  std::vector<Entries> memory;  ///< [B], of length S each
  /// [B * K], of length `position` each: entries of the generated tokens. With a recurrence in place of self-attention
  /// only the last entry: the states of all layers, [layers, D].
  std::vector<Entries> generated;
  std::int64_t rows = 1;           ///< K
  std::int64_t position = 0;       ///< positions generated so far
  std::int64_t source_length = 0;  ///< S of the padded source, also after sentences were removed

  TokenLists lists;                ///< [B]: tokens that may follow; empty: all
  std::vector<at::Tensor> blocks;  ///< memory that the entries point to; kept as long as the state

  std::int64_t sentences() const { return static_cast<std::int64_t>(memory.size()); }

  /// Keeps the given sentences in this order, and of kept sentence b the rows parents[b * K' + k] (0 <= parent < K): B'
  /// sentences of K' rows. Throws ShapeError for an index out of range.
  void select(const std::vector<std::int64_t>& sentences, const std::vector<std::int64_t>& parents);
};

/// The fast twin of EncoderDecoder for translating on the CPU: equal numbers up to rounding, computed without
/// intermediate tensors. Padding is not computed. The bits of a row depend on its own sentence and tokens only, not on
/// the batch, its neighbors or the number of threads. Const and safe to share between threads.
class InferenceModel {
 public:
  /// Returns whether this class implements every layer of the network. Otherwise its EncoderDecoder translates.
  static bool supports(const ModelConfig& config);

  /// Requires supports(config). Packs one weight after the other, or maps packed weights from the model's
  /// cache; the network of a LazyModel is not loaded.
  InferenceModel(const LazyModel& model, const ModelConfig& config,
                 kernels::Precision precision = kernels::Precision::kFloat32);

  /// Encodes the source [B, S] and returns a state of one row per sentence. Throws UsageError beyond the last learned
  /// position, ShapeError for ids or lengths out of range.
  InferenceState start(const PaddedIds& source) const;
  /// Does the same with the lists of the model's shortlist, if it has one, for sources and `wanted` [B] tokens.
  InferenceState start(const PaddedIds& source, std::span<const Ids> wanted) const;

  struct Output {
    at::Tensor x;          ///< [B * K, D], output of the decoder
    at::Tensor attention;  ///< [B * K, S] of the site if requested
  };
  /// Appends the tokens [B * K] to the state and runs the decoder on them. Throws as `start` does; the state is then
  /// unchanged.
  Output step(InferenceState& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site) const;
  /// Does the same step up to the site and returns its attention. The state takes no other steps then.
  at::Tensor step_attention(InferenceState& state, std::span<const Id> tokens, const AttentionSite& site) const;

  struct Logits {
    at::Tensor logits;                    ///< [B * K, V]
    std::vector<double> log_normalizers;  ///< [B * K]: log-probability = logit - log_normalizer
  };
  /// Computes the logits of x [B * K, D]. Tokens outside of the lists of a state have -inf.
  Logits logits(const at::Tensor& x, const TokenLists& lists = {}) const;

  /// Returns the `width` most likely tokens of each row of x [B * K, D], 1 <= width <= V, with the values of `logits`.
  TopTokens top_tokens(const at::Tensor& x, std::int64_t width, const TokenLists& lists = {}) const;

  /// Returns one logit of each row of x [B * K, D]: that of token `next` [B * K], with the value of `logits`.
  std::vector<double> logits_of(const at::Tensor& x, std::span<const Id> next) const;

  std::int64_t vocabulary_size() const { return weights_.generator.out(); }

 private:
  /// A range of rows of a step.
  struct RowRange {
    std::int64_t first = 0, last = 0;
    std::span<const Id> tokens;       ///< [B * K]
    const float* position = nullptr;  ///< [D]
    float* entries = nullptr;         ///< [B * K, layers, 2D]: output for their keys and values; states: [., ., D]
  };
  std::int64_t width_of_entry() const;  ///< floats that a step keeps of each row and layer
  kernels::Rows rows_of(const at::Tensor& x, std::int64_t rows) const;
  void step(InferenceState& state, std::span<const Id> tokens, const std::optional<AttentionSite>& site,
            const Output& output) const;
  void step_rows(const InferenceState& state, const RowRange& range, const std::optional<AttentionSite>& site,
                 const Output& output) const;

  ModelConfig config_;
  std::shared_ptr<const Shortlist> shortlist_;  ///< null: none
  InferenceWeights weights_;
  mutable PositionalEncoding source_positions_, target_positions_;  ///< each has a growing table and its lock
};

}  // namespace gloss
