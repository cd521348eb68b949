#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/adam_kernel.h"
#include "tensor/workers.h"
#include "training/flat_layout.h"
#include "training/gradients.h"
#include "training/processes/exchange.h"

namespace gloss {

/// Adam's state for parameters on the CPU. Each kind is one float32 buffer. The norm of all gradients is one pass over
/// memory and the update another. The work is divided into pieces independent of the number of threads and processes,
/// and sums are added in the order of the pieces.
///
/// Several processes divide the state: each has that of its slice (FlatLayout), updates the slice's weights and sends
/// them to the others.
class FlatAdam {
 public:
  /// The kinds of state. They start at zero, except for kEma, which starts with the weights.
  enum class State { kM, kV, kEma };

  /// Returns whether every tensor is contiguous float32 on the CPU, the requirement of this class.
  static bool can_keep(const std::vector<at::Tensor>& parameters);

  /// `parameters` must satisfy `can_keep`. `workers`, if not null, divide the work. They and `exchange` must outlive
  /// this.
  FlatAdam(std::vector<at::Tensor> parameters, bool with_ema, Workers* workers, Exchange& exchange);

  /// Returns a kind of state for each parameter in its shape. One process gets views. Several must all call it and get
  /// copies; unless `everywhere`, all but process 0 get undefined tensors.
  std::vector<at::Tensor> state(State kind, bool everywhere) const;
  /// Replaces a kind of state of a parameter by `values`, of its shape. With several processes, each keeps its part.
  void set_state(State kind, std::size_t parameter, const at::Tensor& values);

  /// Sets the gradients of the next `step` and returns the sum of their squares, in double. With several processes, the
  /// gradients are one tensor, that of the slice.
  double set_gradients(const Gradients& gradients);
  void clear_gradients();
  /// Updates the parameters. A parameter without a gradient, or whose gradient is zero everywhere, keeps its value, m
  /// and v.
  void step(const kernels::AdamNumbers& numbers);

 private:
  bool is_divided() const { return !exchange_->is_alone(); }
  std::int64_t slice_begin() const { return exchange_->rank() * layout_.slice(); }
  const at::Tensor& buffer(State kind) const;
  void for_each_piece(std::int64_t first_chunk, std::int64_t chunks, auto&& work) const;
  void for_each_own_piece(auto&& work) const;
  void gather_squares();
  void gather_weights();

  Workers* workers_;
  Exchange* exchange_;
  std::vector<at::Tensor> parameters_;
  FlatLayout layout_;
  at::Tensor m_, v_, ema_;                       ///< the buffers, of the slice
  Gradients gradients_;                          ///< of the next step, contiguous
  std::vector<const float*> gradient_of_piece_;  ///< null: none
  std::vector<double> squares_of_piece_;         ///< sums of their squares in each piece
  at::Tensor weights_;                           ///< several processes: the slice's weights to send
};

}  // namespace gloss
