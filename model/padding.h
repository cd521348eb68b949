#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "common/special_ids.h"

namespace gloss {

/// Sentences of unequal length as one tensor. Padding is kPad (common/special_ids.h); it follows the end of each row,
/// so that a causal mask hides it from every position of the row.
struct PaddedIds {
  at::Tensor ids;                     ///< [B, T] int64; of sources [B, S]
  std::vector<std::int64_t> lengths;  ///< [B], without padding
};

/// Throws ShapeError unless there is a length for each row of ids, and UsageError, naming the sentence, if a length
/// exceeds `limit`, the number of positions of the network. `side`: "source" or "target".
void expect_batch(const PaddedIds& batch, std::optional<std::int64_t> limit, const std::string& side);

/// Pads B sentences to [B, T]; T is the length of the longest, at least 1. A source is pieces + eos. An empty line has
/// no ids and length 0; alone in a batch, its only column is padding.
PaddedIds pad(std::span<const Ids> rows, at::Device device);

/// Returns the indices into rows of [B * T] of the positions that are not padding.
std::vector<std::int64_t> filled_positions(std::span<const std::int64_t> lengths, std::int64_t T);

/// The decoder's input and the labels that it is to predict (teacher forcing).
struct ShiftedTarget {
  PaddedIds input;    ///< bos + pieces [B, T]
  at::Tensor labels;  ///< pieces + eos [B, T], kPad after; the loss skips kPad
};
/// Shifts B targets, pieces + eos each, by one position. An empty target stays empty.
ShiftedTarget shift_target(std::span<const Ids> targets, at::Device device);

}  // namespace gloss
