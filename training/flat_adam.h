#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/adam_kernel.h"

namespace gloss {

/// Adam's state for parameters on the CPU. Each kind is one float32 buffer, so that the norm of all gradients is one
/// pass over memory and the update another. The work is divided into pieces independent of the number of threads, and
/// sums are added in the order of the pieces.
class FlatAdam {
 public:
  /// Views of the buffers in the shape of one parameter. They start at zero, except for `ema`, which starts with the
  /// weights.
  struct Views {
    at::Tensor gradient, m, v;
    at::Tensor ema;  ///< undefined if no EMA is kept
  };

  /// Returns whether every tensor is contiguous float32 on the CPU, the requirement of this class.
  static bool can_keep(const std::vector<at::Tensor>& parameters);

  /// `parameters` must satisfy `can_keep`. Each one's grad() becomes the view of its gradient.
  FlatAdam(std::vector<at::Tensor> parameters, bool with_ema);

  const std::vector<Views>& views() const { return views_; }

  /// Returns the sum of squares of all gradients, in double.
  double sum_of_squares();
  /// Updates the parameters and sets every gradient to zero. A parameter whose gradient is zero everywhere keeps its
  /// value, m and v.
  void step(const kernels::AdamNumbers& numbers);
  void clear_gradients();

 private:
  /// A range of elements of one parameter within one chunk of the buffers.
  struct Piece {
    std::size_t parameter;
    std::int64_t begin;   ///< index within the parameter
    std::int64_t offset;  ///< index within the buffers
    std::int64_t count;
  };

  void cut_into_pieces(const std::vector<std::int64_t>& offsets, std::int64_t size);
  void collect_gradients();
  void for_each_piece(auto&& work) const;

  std::vector<at::Tensor> parameters_;
  std::vector<Views> views_;
  at::Tensor gradient_, m_, v_, ema_;     ///< the buffers
  std::vector<Piece> pieces_;             ///< in the order of the buffers
  std::vector<std::size_t> chunks_;       ///< index of the first piece of each chunk, then the number of pieces
  std::vector<double> squares_of_piece_;  ///< sums of squares of the pieces, from `sum_of_squares`
  bool measured_ = false;                 ///< squares_of_piece_ is up to date
};

}  // namespace gloss
