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
/// input. The rows are sinusoids for any position, learned rows up to max_positions, or zeros if the order comes from
/// elsewhere or is not given (ModelConfig::adds_positions).
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  /// Creates sinusoids.
  explicit PositionalEncodingImpl(std::int64_t d_model);
  /// Creates learned positions with a weight [max_positions, D].
  PositionalEncodingImpl(std::int64_t d_model, std::int64_t max_positions);

  /// Creates the positions of a configuration: zeros for all but sinusoidal and learned positions.
  explicit PositionalEncodingImpl(const ModelConfig& config);

  /// Returns the rows of tokens `first` to `first + count - 1`, [count, D], on `device`. The sinusoids of token 0 are
  /// those of position ModelConfig::first_position. Throws UsageError beyond the last learned one.
  at::Tensor forward(std::int64_t first, std::int64_t count, at::Device device);

  /// Returns the number of learned positions; no value for others, which have no end.
  std::optional<std::int64_t> limit() const;

  std::int64_t d_model() const { return d_model_; }

 private:
  at::Tensor table(std::int64_t count, at::Device device);  ///< sinusoids of `count` tokens or more

  std::int64_t d_model_;
  bool is_zero_ = false;
  PositionFrequencies frequencies_ = PositionFrequencies::kPaper;
  std::int64_t first_position_ = 0;  ///< of token 0
  at::Tensor weight_;                ///< [max_positions, D]; undefined for sinusoids
  at::Tensor table_;                 ///< sinusoids computed so far; replaced by a longer one, never changed
  std::mutex table_lock_;            ///< guards `table_`: threads share a model
};
TORCH_MODULE(PositionalEncoding);

}  // namespace gloss
