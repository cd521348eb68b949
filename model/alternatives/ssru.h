#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/pimpl.h>

#include "model/decoder.h"
#include "model/linear.h"

namespace gloss {

/// The simpler simple recurrent unit (SSRU), a sublayer of the decoder in the place of self-attention (Kim et al. 2019,
/// "From Research to Production and Back: Ludicrously Fast Neural Machine Translation"):
///
///     f_t = sigma(W_f x_t + b_f)
///     c_t = f_t * c_t-1 + (1 - f_t) * W x_t          c_-1 = 0
///     h_t = max(0, c_t)
///
/// A position depends on those before by c alone, so a step of decoding takes the same time at every position. `gate_`
/// holds W_f and b_f, `value_` W.
class SsruImpl : public SitedModule {
 public:
  explicit SsruImpl(std::int64_t d_model);

  /// Maps x [B, T, D] to h [B, T, D]. The maps are computed for all positions at once, c one position after the other.
  at::Tensor forward(const at::Tensor& x, const Pass& pass);
  /// Maps the next position x [N, 1, D] and the state c [N, D], which it replaces, to h [N, 1, D].
  at::Tensor step(const at::Tensor& x, at::Tensor& state, const Pass& pass);

 private:
  struct Terms {
    at::Tensor forget, fresh;  ///< f and (1 - f) * W x, [B, T, D] each
  };
  Terms terms(const at::Tensor& x, const Pass& pass);

  Linear value_{nullptr}, gate_{nullptr};
};
TORCH_MODULE(Ssru);

/// A layer of the decoder with a recurrence in the place of self-attention.
class SsruDecoderLayer final : public DecoderLayerImpl {
 public:
  SsruDecoderLayer(const ModelConfig& config, Ssru recurrence);

  LayerCache start(const at::Tensor& memory, const Pass& pass) override;

 private:
  at::Tensor self_attention(const at::Tensor& input, const at::Tensor& keys, const Mask& mask,
                            const Pass& pass) override;
  at::Tensor self_attention_step(const at::Tensor& input, const at::Tensor& keys, DecoderCache& cache,
                                 std::size_t index, const Pass& pass) override;

  Ssru recurrence_;
};

}  // namespace gloss
