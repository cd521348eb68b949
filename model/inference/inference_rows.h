#pragma once

#include <cstdint>
#include <functional>

#include "model/inference/inference_layers.h"

namespace gloss {

/// Some rows on their way through a stack's layers, with room for what a layer makes of them.
class InferenceRows {
 public:
  /// Floats of room for each row, x included.
  static std::int64_t width(const ModelConfig& config);
  /// `memory` has rows * width(config) floats.
  InferenceRows(const ModelConfig& config, std::int64_t rows, float* memory);

  std::int64_t rows() const { return rows_; }
  float* x(std::int64_t row) const { return x_ + row * D_; }              ///< [D], what the layers add to
  float* context(std::int64_t row) const { return context_ + row * D_; }  ///< [D], of the heads side by side
  kernels::MutableRows wide(std::int64_t columns) const { return {wide_, columns}; }  ///< [rows, columns]

  /// x = tokens' rows of `embedding` times sqrt(D).
  void embed(std::int64_t row, std::int64_t id, const at::Tensor& embedding, const float* position) const;

  /// A sublayer around which norm and residual stand as the config says (SublayerConnection): `attend` is given the
  /// sublayer's input and leaves the heads in `context`.
  void attention(const InferenceNorm& norm, const PackedLinear& output,
                 const std::function<void(kernels::Rows)>& attend) const;
  void feed_forward(const InferenceFeedForward& layer) const;
  /// The norm behind the last layer, where there is one.
  void finish(const InferenceNorm& norm) const;

 private:
  kernels::Rows input(const InferenceNorm& norm) const;  ///< of a sublayer
  void close(const InferenceNorm& norm) const;           ///< behind a sublayer

  const ModelConfig* config_;
  std::int64_t rows_, D_;
  float *x_, *normed_, *context_, *wide_;
};

}  // namespace gloss
