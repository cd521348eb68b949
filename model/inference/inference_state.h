#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// All that translating token by token remembers: B sentences of K rows each, sentence-major. Keys and values are
/// written once and never moved; a row is the list of where its own stand, so that choosing rows copies only lists.
struct InferenceState {
  /// Where the keys and values of each position begin; of all layers, [layers, 2D].
  using Entries = std::vector<const float*>;

  std::vector<Entries> memory;  ///< [B], each S long
  std::vector<Entries> said;    ///< [B * K], each `position` long
  std::int64_t rows = 1;        ///< K
  std::int64_t position = 0;    ///< positions said so far
  std::int64_t longest = 0;     ///< S of the source, whichever sentences are left

  std::vector<at::Tensor> blocks;  ///< what the entries point into; kept as long as the state

  std::int64_t sentences() const { return static_cast<std::int64_t>(memory.size()); }

  /// Keeps the sentences named, in that order, and of kept sentence b the rows parents[b * K' + k] (0 <= parent < K):
  /// B' sentences of K' rows. Throws ShapeError on an index out of range.
  void select(const std::vector<std::int64_t>& sentences, const std::vector<std::int64_t>& parents);
};

}  // namespace gloss
