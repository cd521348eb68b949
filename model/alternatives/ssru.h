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

/// A layer of the decoder with a recurrence in the place of self-attention, then cross-attention and
/// feed-forward.
class SsruDecoderLayer final : public DecoderLayerBase {
 public:
  explicit SsruDecoderLayer(const ModelConfig& config);

  at::Tensor forward(const at::Tensor& x, const Memory& memory, const Mask& mask, const Pass& pass) override;
  LayerCache start(const at::Tensor& memory, const Pass& pass) override;
  at::Tensor step(const at::Tensor& x, DecoderCache& cache, std::size_t index, const Pass& pass) override;

 private:
  Ssru recurrence_;
  MultiHeadAttention cross_attention_;
  FeedForward feed_forward_;
  SublayerConnection recurrence_connection_, cross_attention_connection_, feed_forward_connection_;
};

/// A decoder of such layers.
class SsruDecoder final : public DecoderImpl {
 public:
  explicit SsruDecoder(const ModelConfig& config);
};

}  // namespace gloss
