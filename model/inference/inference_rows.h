#pragma once

#include <cstdint>
#include <functional>

#include "model/inference/inference_layers.h"

namespace gloss {

/// Rows of activations that pass through the layers of a stack, with buffers for intermediate values.
class InferenceRows {
 public:
  /// Returns the floats of memory per row, including x.
  static std::int64_t width(const ModelConfig& config);
  /// `memory` must have rows * width(config) floats.
  InferenceRows(const ModelConfig& config, std::int64_t rows, float* memory);

  std::int64_t rows() const { return rows_; }
  float* x(std::int64_t row) const { return x_ + row * D_; }              ///< [D], the residual stream
  float* context(std::int64_t row) const { return context_ + row * D_; }  ///< [D], contexts of the heads, concatenated
  kernels::MutableRows wide(std::int64_t columns) const { return {wide_, columns}; }  ///< [rows, columns]

  /// Sets x to the token's row of `embedding` times sqrt(D), plus `position`.
  void embed(std::int64_t row, std::int64_t id, const StoredWeight& embedding, const float* position) const;
  /// Sets x to `position`: the token's embedding is the zero vector.
  void embed_zero(std::int64_t row, const float* position) const;

  /// Runs the attention sublayer with norm and residual in the configured order (SublayerConnection). `attend` receives
  /// the sublayer's input and writes the heads' output to `context`.
  void attention(const InferenceNorm& norm, const PackedLinear& output,
                 const std::function<void(kernels::Rows)>& attend) const;
  /// Runs the recurrence sublayer. `previous` returns the state [D] of a row before this step, null at the first one;
  /// the new states are written to `states` [rows, D].
  void recurrence(const InferenceRecurrence& layer, const std::function<const float*(std::int64_t row)>& previous,
                  kernels::MutableRows states) const;
  /// Returns the rows of which self-attention computes keys and values: those of its queries, or x without the norm.
  kernels::Rows attended(kernels::Rows queries) const;
  void feed_forward(const InferenceFeedForward& layer) const;
  /// Applies a norm to x, if there is one: after the embeddings or after the last layer.
  void normalize(const InferenceNorm& norm) const;

 private:
  kernels::Rows input(const InferenceNorm& norm) const;  ///< input of a sublayer
  void close(const InferenceNorm& norm) const;           ///< applies the norm after a sublayer, for norm "post"

  const ModelConfig* config_;
  std::int64_t rows_, D_;
  float *x_, *normed_, *context_, *wide_;
};

/// Calls work(first, last) for ranges of `rows` rows, one per thread. If has_rows_for_threads is false there is one
/// range, and the threads share each of its products instead.
void over_rows(std::int64_t rows, const std::function<void(std::int64_t first, std::int64_t last)>& work);
bool has_rows_for_threads(std::int64_t rows);

}  // namespace gloss
