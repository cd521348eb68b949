#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "kernels/packed_product_kernel.h"

namespace gloss {

/// Precision of a model's matrices, in a file and for translating.
using WeightPrecision = kernels::Precision;

/// Names for translating, in options and messages: "float32", "bfloat16", "int8", "float16".
inline constexpr std::array<std::pair<std::string_view, WeightPrecision>, 4> kTranslatingPrecisions{
    {{"float32", WeightPrecision::kFloat32},
     {"bfloat16", WeightPrecision::kBfloat16},
     {"int8", WeightPrecision::kInt8},
     {"float16", WeightPrecision::kFloat16}}};

/// Names in files, and in options of commands that write files: all but float16, in which no file is stored.
inline constexpr std::array<std::pair<std::string_view, WeightPrecision>, 3> kWeightPrecisions{
    {kTranslatingPrecisions[0], kTranslatingPrecisions[1], kTranslatingPrecisions[2]}};

}  // namespace gloss
