#pragma once

#include <array>
#include <string_view>
#include <utility>

namespace gloss {

/// The scales of a matrix in int8: one for each row, as in gloss's files, or one for the whole, as in Marian's. kNone:
/// the matrix is not rounded.
enum class Int8Scales { kNone, kRows, kMatrix };

/// Names in the run file (training.quantize).
inline constexpr std::array<std::pair<std::string_view, Int8Scales>, 3> kInt8Scales{
    {{"none", Int8Scales::kNone}, {"int8", Int8Scales::kRows}, {"int8_matrix", Int8Scales::kMatrix}}};

}  // namespace gloss
