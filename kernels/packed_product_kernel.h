#pragma once

#include <cstdint>

#include "kernels/attention_kernel.h"

namespace gloss::kernels {

/// Number format of a product's factors. Sums are float32, or int32 for int8.
enum class Precision {
  kFloat32,
  kFloat16,  ///< on a GPU; no kernel has it
  kBfloat16,
  kInt8,  ///< weights quantized by column and inputs by row, each to multiples of max |x| / 127, or of a given step
};

/// Number of columns of a panel.
inline constexpr std::int64_t kPanelColumns = 64;

constexpr std::int64_t panels_of(std::int64_t columns) { return (columns + kPanelColumns - 1) / kPanelColumns; }

/// Number of consecutive weights of a column that are stored side by side, as the processor's instructions read them.
constexpr std::int64_t group_of(Precision precision) {
  return precision == Precision::kInt8 ? 4 : precision == Precision::kBfloat16 ? 2 : 1;
}
constexpr std::int64_t groups_of(Precision precision, std::int64_t inner) {
  return (inner + group_of(precision) - 1) / group_of(precision);
}

/// Version of the layout below, which files hold (docs/file_formats.md). A change of the layout, or of the rounding of
/// packed weights, needs the next number.
inline constexpr int kPackedLayout = 1;

/// The weight [inner, columns] of a linear layer in panels: [panels][groups][64][group], padded with zeros. Bias,
/// scales and offsets have the length of all panels.
struct PackedMatrix {
  Precision precision = Precision::kFloat32;
  const void* panels = nullptr;           ///< float, Bfloat16Bits or std::int8_t
  const float* bias = nullptr;            ///< [panels * 64]
  const float* scales = nullptr;          ///< int8: scale of each column
  const std::int32_t* offsets = nullptr;  ///< int8: 128 times the sum of each column's quantized weights
  std::int64_t inner = 0, columns = 0;
  float input_scale = 0;  ///< int8: the step of inputs, which are limited to 127 steps; 0: each row has its own
  /// In place of panels: column j is row listed[j] of `weight` [V, inner], in the precision. A panel is packed each
  /// time that it is multiplied, which takes less time than to read rarely used panels from memory.
  const void* weight = nullptr;
  const std::int32_t* listed = nullptr;  ///< [columns]
};

/// Operation applied to a sum before it is stored.
enum class Finish {
  kStore,  ///< out = x W + b
  kRelu,   ///< out = max(0, x W + b)
  kAdd,    ///< out = out + x W + b
};

/// One call of the product kernel: rows of input times the panels `first` to `last` - 1.
struct PackedProduct {
  Rows in;  ///< [rows, inner]
  std::int64_t rows = 0;
  PackedMatrix matrix;
  std::int64_t first = 0, last = 0;
  MutableRows out;  ///< [rows, columns]
  Finish finish = Finish::kStore;
  void* scratch = nullptr;  ///< panel_bytes if columns are listed, and packed_scratch bytes, aligned to 64
};

constexpr std::int64_t panel_bytes(Precision precision, std::int64_t inner) {
  return groups_of(precision, inner) * kPanelColumns * 4;
}
/// Returns the bytes of scratch memory for converting the input rows; 0 for float32. Rows for int8 may be converted to
/// 16-bit integers.
constexpr std::int64_t packed_scratch(Precision precision, std::int64_t rows, std::int64_t inner) {
  if (precision == Precision::kFloat32) return 0;
  return rows * (groups_of(precision, inner) * (precision == Precision::kInt8 ? 8 : 4) + 4);
}

/// Computes the product. Each sum adds the terms of `inner` in ascending order, so that the bits of a row depend on
/// that row only.
using PackedProductKernel = void(const PackedProduct& product);

}  // namespace gloss::kernels
