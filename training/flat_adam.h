#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/adam_kernel.h"

namespace gloss {

/// What Adam keeps for parameters on the CPU, each kind in one buffer of float32, so that the norm of all gradients is
/// one pass over memory and the update another. The work is cut into pieces that do not depend on the number of
/// threads, and sums are added in their order.
class FlatAdam {
 public:
  /// Views of the buffers in the shape of one parameter, all zero at first but `ema`, the weights themselves.
  struct Views {
    at::Tensor gradient, m, v;
    at::Tensor ema;  ///< undefined where no moving mean of the weights is kept
  };

  /// Whether every tensor is contiguous float32 on the CPU.
  static bool can_keep(const std::vector<at::Tensor>& parameters);

  /// `parameters` as `can_keep` wants them. Each one's grad() becomes the view of its gradient.
  FlatAdam(std::vector<at::Tensor> parameters, bool with_ema);

  const std::vector<Views>& views() const { return views_; }

  /// The sum of squares of all gradients, in double.
  double sum_of_squares();
  /// One update; then every gradient is zero. A parameter whose gradient was zero in every element stays as it is, and
  /// so do its m and v.
  void step(const kernels::AdamNumbers& numbers);
  void clear_gradients();

 private:
  /// A run of elements of one parameter within one chunk of the buffers.
  struct Piece {
    std::size_t parameter;
    std::int64_t begin;   ///< in the parameter
    std::int64_t offset;  ///< in the buffers
    std::int64_t count;
  };

  void cut_into_pieces(const std::vector<std::int64_t>& offsets, std::int64_t size);
  void collect_gradients();
  void for_each_piece(auto&& work) const;

  std::vector<at::Tensor> parameters_;
  std::vector<Views> views_;
  at::Tensor gradient_, m_, v_, ema_;     ///< the buffers
  std::vector<Piece> pieces_;             ///< in the order of the buffers
  std::vector<std::size_t> chunks_;       ///< the first piece of each chunk, and the number of pieces
  std::vector<double> squares_of_piece_;  ///< of the gradients as `sum_of_squares` found them
  bool measured_ = false;                 ///< no gradient was added since
};

}  // namespace gloss
