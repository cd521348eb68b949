#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "kernels/adam_kernel.h"
#include "tensor/workers.h"
#include "training/gradients.h"
#include "training/processes/exchange.h"

namespace gloss {

/// The order of the trained parameters in one buffer, and its division. Each parameter begins at a cache line. The
/// buffer consists of chunks of one size, the unit of a worker's work. Each process has the same number of neighboring
/// chunks, its slice; the last slices may reach beyond the parameters. Chunks do not depend on the processes, so that
/// sums over pieces are the same numbers with any number of them.
class FlatLayout {
 public:
  /// A range of elements of one parameter within one chunk.
  struct Piece {
    std::size_t parameter;
    std::int64_t begin;   ///< index within the parameter
    std::int64_t offset;  ///< index within the buffer
    std::int64_t count;
  };

  explicit FlatLayout(const std::vector<at::Tensor>& parameters, std::int64_t processes = 1);

  /// Returns the number of elements of a slice. The slice of process p begins at element p * slice().
  std::int64_t slice() const { return chunks_of_slice_ * kChunk; }
  std::int64_t processes() const { return processes_; }
  std::int64_t chunks_of_slice() const { return chunks_of_slice_; }

  /// Returns all pieces, in the order of the buffer.
  const std::vector<Piece>& pieces() const { return pieces_; }
  /// Returns the index in pieces() of a chunk's first piece; begin_of(chunk + 1) is the end of the chunk's pieces.
  std::size_t begin_of(std::int64_t chunk) const { return begins_[static_cast<std::size_t>(chunk)]; }
  /// Returns the index of the parameter's first element in the buffer.
  std::int64_t offset(std::size_t parameter) const { return offsets_[parameter]; }

 private:
  static constexpr std::int64_t kChunk = 1 << 15;  ///< elements

  std::int64_t processes_, chunks_of_slice_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<Piece> pieces_;
  std::vector<std::size_t> begins_;
};

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
