#pragma once

#include <filesystem>
#include <memory>

#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// Opens a model in Marian's binary format (.bin), version 1. A name loses its prefix "F0::". Tensors are float32,
/// float16, float64, int8, int16, int32, int64, uint8 or uint32, or intgemm8 and intgemm16: these are kI8 and kI16,
/// quantized, with their multiplier, and transposed unless their name contains "Wemb". Throws ModelError with the path
/// and the fault: for a damaged file, an encrypted one (version 2), tensors packed for one processor (with the command
/// that writes them as intgemm8), repeated names and the state of an optimizer; IoError.
std::unique_ptr<ForeignTensors> open_marian_bin(const std::filesystem::path& path);

}  // namespace gloss
