#pragma once

#include <cstdint>

#include "model/kernels/attention_kernel.h"

namespace gloss::kernels {

/// Columns of a panel: a packed matrix [inner, columns] stands as [panels][inner][64], zeros behind the last column.
inline constexpr std::int64_t kPanelColumns = 64;

constexpr std::int64_t panels_of(std::int64_t columns) { return (columns + kPanelColumns - 1) / kPanelColumns; }

/// A linear map's weight, turned and packed, and its bias, which is as long as the panels.
struct PackedMatrix {
  const float* panels = nullptr;
  const float* bias = nullptr;
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
};

/// Each sum goes over `inner` in its order, one after the other: a row's bits depend on nothing but the row.
using PackedProductKernel = void(const PackedProduct& product);

}  // namespace gloss::kernels
