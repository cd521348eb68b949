#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace gloss {

/// Rows of unequal length as one tensor; padding follows the end of each row, so that a causal mask hides it from every
/// position of the row.
struct PaddedIds {
  at::Tensor ids;                     ///< [B, T] int64
  std::vector<std::int64_t> lengths;  ///< [B], without padding
};

/// Maps B rows of ids to [B, T]; T is the length of the longest row, at least 1.
PaddedIds pad(std::span<const std::vector<std::int32_t>> rows, at::Device device);

/// The decoder's input and its wanted output (teacher forcing). A target is pieces + eos, which is the wanted output.
/// The input is bos + pieces, of the same length.
struct ShiftedTarget {
  PaddedIds input;    ///< bos + pieces [B, T]
  at::Tensor wanted;  ///< pieces + eos [B, T], padding after
};
ShiftedTarget shift_target(std::span<const std::vector<std::int32_t>> targets, at::Device device);

}  // namespace gloss
