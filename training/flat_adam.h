#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/adam_kernel.h"
#include "tensor/workers.h"
#include "training/gradients.h"

namespace gloss {

/// Adam's state for parameters on the CPU. Each kind is one float32 buffer. The norm of all gradients is one pass over
/// memory and the update another. The work is divided into pieces independent of the number of threads, and sums are
/// added in the order of the pieces.
class FlatAdam {
 public:
  /// Views of the buffers in the shape of one parameter. They start at zero, except for `ema`, which starts with the
  /// weights.
  struct Views {
    at::Tensor m, v;
    at::Tensor ema;  ///< undefined if no EMA is kept
  };

  /// Returns whether every tensor is contiguous float32 on the CPU, the requirement of this class.
  static bool can_keep(const std::vector<at::Tensor>& parameters);

  /// `parameters` must satisfy `can_keep`. `workers`, if not null, divide the work and must outlive this.
  FlatAdam(std::vector<at::Tensor> parameters, bool with_ema, Workers* workers);

  const std::vector<Views>& views() const { return views_; }

  /// Sets the gradients of the next `step` and returns the sum of their squares, in double.
  double set_gradients(const Gradients& gradients);
  void clear_gradients();
  /// Updates the parameters. One without a gradient, or whose gradient is zero everywhere, keeps its value, m and v.
  void step(const kernels::AdamNumbers& numbers);

 private:
  /// A range of elements of one parameter within one chunk of the buffers.
  struct Piece {
    std::size_t parameter;
    std::int64_t begin;   ///< index within the parameter
    std::int64_t offset;  ///< index within the buffers
    std::int64_t count;
  };

  void cut_into_pieces(const std::vector<std::int64_t>& offsets, std::int64_t size);
  void for_each_piece(auto&& work) const;

  Workers* workers_;
  std::vector<at::Tensor> parameters_;
  std::vector<Views> views_;
  at::Tensor m_, v_, ema_;                ///< the buffers
  std::vector<Piece> pieces_;             ///< in the order of the buffers
  std::vector<std::size_t> chunks_;       ///< index of the first piece of each chunk, then the number of pieces
  Gradients gradients_;                   ///< of the next step, contiguous
  std::vector<double> squares_of_piece_;  ///< sums of their squares in each piece
};

}  // namespace gloss
