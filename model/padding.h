#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace gloss {

/// Rows of unequal length as one tensor, filled up with pad behind each row's end.
struct PaddedIds {
  at::Tensor ids;                     ///< [B, T] int64
  std::vector<std::int64_t> lengths;  ///< [B], of the rows before filling up
};

/// B rows of ids to [B, T], T being the longest row's length (at least 1).
PaddedIds pad(std::span<const std::vector<std::int32_t>> rows, at::Device device);

/// What the decoder is given and what it is to say, from targets that are pieces and eos (teacher forcing): the input
/// is bos + pieces, the wanted output pieces + eos, both of the targets' lengths.
struct ShiftedTarget {
  PaddedIds input;    ///< bos + pieces [B, T]
  at::Tensor wanted;  ///< pieces + eos [B, T], pad behind
};
ShiftedTarget shift_target(std::span<const std::vector<std::int32_t>> targets, at::Device device);

}  // namespace gloss
