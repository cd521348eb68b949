#pragma once

#include <cstddef>

#include <ATen/core/Tensor.h>

#include "model/decoder_cache.h"
#include "model/mask.h"
#include "model/pass.h"
#include "model/sited_module.h"

namespace gloss {

/// The encoder's output, to which the decoder attends.
struct Memory {
  at::Tensor value;  ///< [B, S, D]
  Mask mask;         ///< over its S positions
};

/// A layer of the decoder: that of the paper (model/decoder.h) or an alternative.
class DecoderLayerBase : public SitedModule {
 public:
  /// Maps x [B, T, D] to [B, T, D]; `mask` is over the T positions.
  virtual at::Tensor forward(const at::Tensor& x, const Memory& memory, const Mask& mask, const Pass& pass) = 0;

  /// Starts decoding token by token: maps the memory [B, S, D] to its keys and values [B, H, S, d_k], once for each
  /// sentence.
  virtual LayerCache start(const at::Tensor& memory, const Pass& pass) = 0;
  /// Maps the next position x [B * K, 1, D] to [B * K, 1, D]. Its key and value, or its state, go into layer `index` of
  /// the cache.
  virtual at::Tensor step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass) = 0;
};

}  // namespace gloss
