#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "model/decoder.h"
#include "model/encoder.h"
#include "model/linear.h"
#include "model/pass.h"

namespace gloss {

/// A gated recurrent unit (after Cho et al. 2014, section 2.3): reset gate r, update gate z, candidate n. As in
/// PyTorch's GRU, r follows the map of the state; Cho et al. have U_n (r * h).
///
///     r  = sigma(W_r x + b_r + U_r h + c_r)
///     z  = sigma(W_z x + b_z + U_z h + c_z)
///     n  = tanh(W_n x + b_n + r * (U_n h + c_n))
///     h' = (1 - z) * n + z * h
///
/// `input_` holds W and b of r, z and n, one below the other, `state_` U and c.
class GruImpl : public torch::nn::Module {
 public:
  /// `input` is the width of x, `units` that of the state h.
  GruImpl(std::int64_t input, std::int64_t units);

  /// Computes the part of the input, W x + b: maps x [..., input] to [..., 3 * units]. It needs no state, so that all
  /// positions can be computed at once.
  at::Tensor project(const at::Tensor& x, const Pass& pass);
  /// Maps the projected input [N, 3 * units] and the state h [N, units] to the next state [N, units].
  at::Tensor step(const at::Tensor& projected, const at::Tensor& state, const Pass& pass);

  std::int64_t units() const { return units_; }

 private:
  std::int64_t units_;
  Linear input_{nullptr}, state_{nullptr};
};
TORCH_MODULE(Gru);

/// One layer of the recurrent encoder: a GRU from left to right and one from right to left (Schuster and Paliwal 1997),
/// D / 2 units each, side by side.
class RecurrentEncoderLayerImpl : public torch::nn::Module {
 public:
  explicit RecurrentEncoderLayerImpl(std::int64_t d_model);

  /// Maps x [B, S, D] to [B, S, D]. At a position that `mask` hides the states stay as they are; so the last state of
  /// each direction is at the end of the tensor, whatever the length of the sentence.
  at::Tensor forward(const at::Tensor& x, const Mask& mask, const Pass& pass);

 private:
  Gru forward_, backward_;
};
TORCH_MODULE(RecurrentEncoderLayer);

/// The encoder of Bahdanau et al. 2015 (section 3.2): a stack of bidirectional GRUs with dropout after each. The
/// recurrence gives the order of the tokens, so positions are not added to its input.
class RecurrentEncoderImpl final : public EncoderImpl {
 public:
  explicit RecurrentEncoderImpl(const ModelConfig& config);

  at::Tensor forward(const at::Tensor& x, const Mask& mask, const Pass& pass) override;

 private:
  double dropout_;
  std::vector<RecurrentEncoderLayer> layers_;
};

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
