#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

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

}  // namespace gloss
