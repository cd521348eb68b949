#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/mask.h"
#include "model/multi_head_attention.h"

namespace gloss {

/// Keys and values of one decoder layer, projected and split into heads.
struct LayerCache {
  at::Tensor self_key, self_value;    ///< [B * K, H, room, d_k], the first `position` of them said; undefined at first
  at::Tensor cross_key, cross_value;  ///< [B, H, S, d_k], once a sentence
};

/// All that decoding token by token remembers: B sentences of K rows each, sentence-major. Buffers are written in
/// place, so there is no gradient through a cache.
struct DecoderCache {
  std::vector<LayerCache> layers;
  Mask source_mask = Mask::none();  ///< over the B sentences' source positions
  std::int64_t sentences = 0;       ///< B
  std::int64_t rows = 1;            ///< K, rows a sentence
  std::int64_t position = 0;        ///< positions said so far

  /// Writes one position more of layer `index`, each [B * K, H, 1, d_k], behind the first `position` ones; the room
  /// doubles where it is used up. Returns all that was said, [B * K, H, position + 1, d_k]. The caller counts
  /// `position` on when every layer has its own.
  KeysAndValues append(std::size_t index, const KeysAndValues& next);

  /// Keeps the sentences named, in that order, and of kept sentence b the rows parents[b * K' + k] (0 <= parent < K):
  /// B' sentences of K' rows. Reorders, drops and widens in one. Throws ShapeError on an index out of range.
  void select(const std::vector<std::int64_t>& sentences, const std::vector<std::int64_t>& parents);
};

}  // namespace gloss
