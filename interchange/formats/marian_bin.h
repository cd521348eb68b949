#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// Opens a model in Marian's binary format (.bin, .bin.gz), version 1. A name loses its prefix "F0::". Tensors are
/// float32, float16, float64, int8, int16, int32, int64, uint8 or uint32, or intgemm8 and intgemm16: these are int8 and
/// int16 with a multiplier. Throws ModelError with the path and the fault: for a damaged file, an encrypted one
/// (version 2), tensors packed for one processor (with the command that writes them as intgemm8), repeated names and
/// the state of an optimizer; IoError.
std::unique_ptr<ForeignTensors> open_marian_bin(const std::filesystem::path& path);

/// A tensor to write: float32, int8, or a matrix [in, out] in int8 with the multiplier of intgemm, 1 / scale.
struct MarianTensor {
  std::string name;
  at::Tensor values;  ///< contiguous, on the CPU
  std::optional<float> multiplier = {};
};
/// Writes a binary model of Marian atomically, with the codes of Marian's fork for browsers. The bytes depend on the
/// tensors only. The whole file is built in memory first. Throws IoError.
void write_marian_bin(const std::filesystem::path& path, const std::vector<MarianTensor>& tensors);

}  // namespace gloss
