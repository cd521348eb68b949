#pragma once

#include <string>
#include <vector>

#include "model/alternatives/gru.h"
#include "model/decoder.h"

namespace gloss {

/// The recurrent decoder. Each layer is a GRU whose first state is computed from the last states of the encoder's two
/// directions, z = [z_S forward, z_1 backward]:
///
///     h_0 = tanh(W z + b)
///     c_t = Attention(h_t-1, memory)          by the additive score; without attention there is no c
///     h_t = GRU([x_t, c_t], h_t-1)
///     y_t = tanh(W_o [h_t, c_t, x_t] + b_o)   h of the last layer
///
/// With attention it follows Bahdanau et al. 2015 (appendix A.2.2), with these differences: h_0 is of both directions,
/// not the backward one alone; c goes through the value and output maps of multi-head attention; y reads h_t, not
/// h_t-1, and has one tanh layer in place of the maxout. Without attention the decoder gets the source as the vector z
/// of fixed length alone, as Sutskever et al. 2014, whose network is an LSTM. Layers after the first read the states of
/// the one before.
class RecurrentDecoderImpl final : public DecoderImpl {
 public:
  explicit RecurrentDecoderImpl(const ModelConfig& config);

  /// A probe receives the attention of one position after the other, T = 1.
  at::Tensor forward(const at::Tensor& x, const Memory& memory, const Pass& pass) override;
  DecoderCache start(const Memory& memory, const Pass& pass) override;
  at::Tensor step(const at::Tensor& x, DecoderCache& cache, const Pass& pass) override;

 private:
  struct Layer {
    Linear initial{nullptr};
    Gru gru{nullptr};
  };

  at::Tensor first_state(std::size_t layer, const at::Tensor& memory, const Pass& pass);
  /// Attends with the state [B * K, D] to the memory of B sentences and returns c [B * K, D].
  at::Tensor context(const at::Tensor& state, const KeysAndValues& memory, const Mask& mask, const Pass& pass);
  /// Maps [h, c, x] side by side to y.
  at::Tensor finish(const std::vector<at::Tensor>& values, const Pass& pass);

  double dropout_;
  std::vector<Layer> layers_;
  MultiHeadAttention cross_attention_{nullptr};  ///< of the first layer; null without attention
  Linear output_{nullptr};
};

}  // namespace gloss
