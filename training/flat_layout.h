#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

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

}  // namespace gloss
