#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/mask.h"
#include "model/multi_head_attention.h"

namespace gloss {

/// The encoder's output, to which the decoder attends.
struct Memory {
  at::Tensor value;  ///< [B, S, D]
  Mask mask;         ///< over its S positions
};

/// Tensors of one decoder layer, without the keys and values of its self-attention. A tensor that the layer does not
/// need is undefined.
struct LayerCache {
  at::Tensor cross_key, cross_value;  ///< [B, H, S, d_k], one for each sentence
  at::Tensor state;                   ///< [B * K, D], of a layer with a recurrence
};

/// Computes the keys and values of a layer's cross-attention from the memory [B, S, D].
LayerCache cache_of_memory(MultiHeadAttention& cross_attention, const at::Tensor& memory, const Pass& pass);

/// The state of decoding token by token: B sentences of K rows each, sentence-major: row b * K + k. Buffers are written
/// in place, so there is no gradient through a cache.
struct DecoderCache {
  DecoderCache() = default;
  /// Starts with one row for each sentence of the memory, and no layers.
  explicit DecoderCache(const Memory& memory);

  std::vector<LayerCache> layers;
  /// Keys and values of the self-attention of all layers, in one tensor that is reordered by one operation: [2 *
  /// layers, B * K, H, capacity, d_k]. Layer i has its keys at 2 i and its values at 2 i + 1. Filled up to `position`;
  /// undefined at first.
  at::Tensor generated;
  Mask source_mask = Mask::unmasked();  ///< over the B sentences' source positions
  std::int64_t sentences = 0;           ///< B
  std::int64_t rows = 1;                ///< K, rows of each sentence
  std::int64_t position = 0;            ///< tokens decoded so far

  /// Appends one position [B * K, H, 1, d_k] to layer `layer` and returns all positions, [B * K, H, position + 1, d_k].
  /// The capacity grows by blocks. The caller increments `position` after the last layer.
  KeysAndValues append(std::size_t layer, const KeysAndValues& next);

  /// Computes the cross-attention of layer `layer`, [B * K, 1, D] to [B * K, 1, D]: the K rows of a sentence are K
  /// queries to its memory.
  at::Tensor attend(std::size_t layer, MultiHeadAttention& cross_attention, const at::Tensor& x,
                    const Pass& pass) const;

  /// Replaces the cache by B' sentences of K' rows. Row b * K' + k is old row parents[b * K' + k] of old sentence
  /// kept[b]. kept [B'] and parents [B' * K'] may repeat and omit indices. Throws ShapeError on an index out of range,
  /// or unless each sentence has the same number of parents, at least one.
  void select(const std::vector<std::int64_t>& kept, const std::vector<std::int64_t>& parents);
  /// Replaces the rows of all sentences by old rows `index` [B * K'], an int64 tensor on the cache's device, which is
  /// not waited for. Each must be one of the same sentence.
  void reorder(const at::Tensor& index);

 private:
  void keep_rows(const at::Tensor& index);
};

}  // namespace gloss
