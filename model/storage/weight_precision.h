#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "kernels/packed_product_kernel.h"

namespace gloss {

/// Precision of a model's matrices, in a file and for translating.
using WeightPrecision = kernels::Precision;

/// Names in files, options and messages: "float32", "bfloat16", "int8".
inline constexpr std::array<std::pair<std::string_view, WeightPrecision>, 3> kWeightPrecisions{
    {{"float32", WeightPrecision::kFloat32},
     {"bfloat16", WeightPrecision::kBfloat16},
     {"int8", WeightPrecision::kInt8}}};

}  // namespace gloss
