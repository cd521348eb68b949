#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/model_config.h"

namespace gloss {

/// Returns rows `first` to `first + count - 1` of the sinusoids of section 3.5, computed in double, [count, D] float32:
///
///     PE(pos, 2i) = sin(pos / 10000^(2i / D)),   PE(pos, 2i + 1) = cos(pos / 10000^(2i / D))
///
/// With PositionFrequencies::kTensor2Tensor the exponent is i / (D / 2 - 1), so that the last frequency is 1 / 10000,
/// as in Tensor2Tensor, Marian and fairseq. Their columns are ordered otherwise: sines, then cosines.
at::Tensor sinusoids(std::int64_t first, std::int64_t count, std::int64_t d_model,
                     PositionFrequencies frequencies = PositionFrequencies::kPaper);

/// Positional encoding (section 3.5), added to the embeddings because attention does not depend on the order of its
/// input: sinusoids of any position.
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  /// The sinusoids of token 0 are those of position `first_position`.
  explicit PositionalEncodingImpl(std::int64_t d_model, PositionFrequencies frequencies = PositionFrequencies::kPaper,
                                  std::int64_t first_position = 0);

  /// Returns the rows of tokens `first` to `first + count - 1`, [count, D], on `device`.
  virtual at::Tensor forward(std::int64_t first, std::int64_t count, at::Device device);

  /// Returns the number of tokens that have positions; sinusoids have no end.
  virtual std::optional<std::int64_t> limit() const { return std::nullopt; }

  std::int64_t d_model() const { return d_model_; }

 private:
  std::int64_t d_model_;
  PositionFrequencies frequencies_;
  std::int64_t first_position_;
  at::Tensor table_;       ///< sinusoids computed so far; replaced by a longer one, never changed
  std::mutex table_lock_;  ///< guards `table_`: threads share a model
};
TORCH_MODULE(PositionalEncoding);

}  // namespace gloss
