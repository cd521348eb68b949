#pragma once

#include <cstdint>

#include "kernels/attention_kernel.h"

namespace gloss::kernels {

/// What the factors of a product are rounded to; sums are float32, or int32 for int8.
enum class Precision {
  kFloat32,
  kBfloat16,
  kInt8,  ///< weights in steps of a 127th of their column's largest, inputs of their row's
};

/// Columns of a panel.
inline constexpr std::int64_t kPanelColumns = 64;

constexpr std::int64_t panels_of(std::int64_t columns) { return (columns + kPanelColumns - 1) / kPanelColumns; }

/// How many weights of a column stand side by side, as the processor's instructions take them.
constexpr std::int64_t group_of(Precision precision) {
  return precision == Precision::kInt8 ? 4 : precision == Precision::kBfloat16 ? 2 : 1;
}
constexpr std::int64_t groups_of(Precision precision, std::int64_t inner) {
  return (inner + group_of(precision) - 1) / group_of(precision);
}

/// A linear map's weight [inner, columns] in panels, [panels][groups][64][group], zeros behind its end; the rest is as
/// long as the panels.
struct PackedMatrix {
  Precision precision = Precision::kFloat32;
  const void* panels = nullptr;           ///< float, Bfloat16Bits or std::int8_t
  const float* bias = nullptr;            ///< [panels * 64]
  const float* scales = nullptr;          ///< int8: what a step of a column's weights is worth
  const std::int32_t* offsets = nullptr;  ///< int8: 128 times the sum of a column's weights
  std::int64_t inner = 0, columns = 0;
};

/// What is done with a sum before it is stored.
enum class Finish {
  kStore,  ///< out = x W + b
  kRelu,   ///< out = max(0, x W + b)
  kAdd,    ///< out = out + x W + b
};

/// Rows of a linear map, and the panels of its columns from `first` to `last` - 1.
struct PackedProduct {
  Rows in;  ///< [rows, inner]
  std::int64_t rows = 0;
  PackedMatrix matrix;
  std::int64_t first = 0, last = 0;
  MutableRows out;  ///< [rows, columns]
  Finish finish = Finish::kStore;
  void* scratch = nullptr;  ///< packed_scratch bytes, at a multiple of 64
};

/// Bytes that the rows of a product need in another precision than float32.
constexpr std::int64_t packed_scratch(Precision precision, std::int64_t rows, std::int64_t inner) {
  return precision == Precision::kFloat32 ? 0 : rows * (groups_of(precision, inner) * 4 + 4);
}

/// Each sum goes over `inner` in its order, one after the other: a row's bits depend on nothing but the row.
using PackedProductKernel = void(const PackedProduct& product);

}  // namespace gloss::kernels
