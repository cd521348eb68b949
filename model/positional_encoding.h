#pragma once

#include <cstdint>
#include <mutex>
#include <optional>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/model_config.h"

namespace gloss {

/// Rows `first` to `first + count - 1` of the sinusoids of section 3.5, computed in double, [count, D] float32:
///
///     PE(pos, 2i) = sin(pos / 10000^(2i / D)),   PE(pos, 2i + 1) = cos(pos / 10000^(2i / D))
at::Tensor sinusoids(std::int64_t first, std::int64_t count, std::int64_t d_model);

/// Positional encoding (section 3.5), added to the embeddings because attention does not depend on the order of its
/// input. The rows are sinusoids for any position, learned rows up to max_positions, or zeros if the order comes from
/// elsewhere or is not given (ModelConfig::adds_positions).
class PositionalEncodingImpl : public torch::nn::Module {
 public:
  /// Sinusoids.
  explicit PositionalEncodingImpl(std::int64_t d_model);
  /// Learned: weight [max_positions, D].
  PositionalEncodingImpl(std::int64_t d_model, std::int64_t max_positions);

  /// By a configuration: zeros for all but sinusoidal and learned positions.
  explicit PositionalEncodingImpl(const ModelConfig& config);

  /// Positions `first` to `first + count - 1`, [count, D], on `device`. Throws UsageError beyond the last learned one.
  at::Tensor forward(std::int64_t first, std::int64_t count, at::Device device);

  /// The number of learned positions; none for others, which have no end.
  std::optional<std::int64_t> limit() const;

  std::int64_t d_model() const { return d_model_; }

 private:
  at::Tensor table(std::int64_t count, at::Device device);

  std::int64_t d_model_;
  bool is_zero_ = false;
  at::Tensor weight_;      ///< [max_positions, D]; undefined for sinusoids
  at::Tensor table_;       ///< sinusoids computed so far; replaced by a longer one, never changed
  std::mutex table_lock_;  ///< guards `table_`: threads share a model
};
TORCH_MODULE(PositionalEncoding);

}  // namespace gloss
