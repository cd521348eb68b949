#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// The state of decoding token by token: B sentences of K rows each, sentence-major. Keys and values are written once
/// and never moved. A row is a list of pointers to its entries, so selecting rows copies only lists.
struct InferenceState {
  /// Addresses of the keys and values of each position, for all layers: [layers, 2D].
  using Entries = std::vector<const float*>;

  std::vector<Entries> memory;  ///< [B], of length S each
  /// [B * K], of length `position` each: entries of the generated tokens. With a recurrence in place of self-attention
  /// only the last entry: the states of all layers, [layers, D].
  std::vector<Entries> generated;
  std::int64_t rows = 1;           ///< K
  std::int64_t position = 0;       ///< positions generated so far
  std::int64_t source_length = 0;  ///< S of the padded source, also after sentences were removed

  std::vector<at::Tensor> blocks;  ///< memory that the entries point to; kept as long as the state

  std::int64_t sentences() const { return static_cast<std::int64_t>(memory.size()); }

  /// Keeps the given sentences in this order, and of kept sentence b the rows parents[b * K' + k] (0 <= parent < K): B'
  /// sentences of K' rows. Throws ShapeError for an index out of range.
  void select(const std::vector<std::int64_t>& sentences, const std::vector<std::int64_t>& parents);
};

}  // namespace gloss
