#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/encoder_decoder.h"
#include "model/inference/inference_layers.h"
#include "model/inference/inference_state.h"
#include "model/inference/top_tokens.h"

namespace gloss {

/// An EncoderDecoder as it translates on the CPU: the same numbers to rounding, without tensors in between. Padding is
/// not computed, and a row's bits depend on its own sentence and tokens alone: not on the batch, its neighbors or the
/// number of threads. Const and shared between threads; it has a copy of the weights.
class InferenceModel {
 public:
  InferenceModel(const EncoderDecoder& model, const ModelConfig& config,
                 kernels::Precision precision = kernels::Precision::kFloat32);

  /// Reads the source [B, S]; the state is one row a sentence wide. Throws UsageError beyond the last learned position
  /// and ShapeError on ids or lengths out of range.
  InferenceState start(const PaddedIds& source) const;

  struct Output {
    at::Tensor x;          ///< [B * K, D], the decoder's output
    at::Tensor attention;  ///< [B * K, S] where asked for: the last layer's to the memory, the mean over the heads
  };
  /// Says the tokens [B * K], which the state grows by. Throws as `start` does, and then the state is as it was.
  Output step(InferenceState& state, std::span<const std::int64_t> tokens, bool with_attention) const;

  struct Logits {
    at::Tensor logits;                    ///< [B * K, V]
    std::vector<double> log_normalizers;  ///< [B * K]: log-probability = logit - log_normalizer
  };
  /// Of x [B * K, D].
  Logits logits(const at::Tensor& x) const;

  /// The `width` likeliest tokens of each row of x [B * K, D], 1 <= width <= V; what `logits` would say of them.
  TopTokens top_tokens(const at::Tensor& x, std::int64_t width) const;

  /// One logit of each row of x [B * K, D], that of its token `next` [B * K]: what `logits` would say.
  std::vector<double> logits_of(const at::Tensor& x, std::span<const std::int32_t> next) const;

  std::int64_t vocabulary_size() const { return weights_.generator.out(); }

 private:
  /// Some rows of a step.
  struct Part {
    std::int64_t first = 0, last = 0;
    std::span<const std::int64_t> tokens;  ///< [B * K]
    const float* position = nullptr;       ///< [D]
    float* entries = nullptr;              ///< [B * K, layers, 2D]: where their keys and values go
  };
  kernels::Rows rows_of(const at::Tensor& x, std::int64_t rows) const;
  void step_rows(const InferenceState& state, const Part& part, const Output& output) const;

  ModelConfig config_;
  InferenceWeights weights_;
  mutable PositionalEncoding source_positions_, target_positions_;  ///< a growing table each, and its lock
};

}  // namespace gloss
