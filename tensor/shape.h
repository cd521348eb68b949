#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <c10/util/ArrayRef.h>

#include "common/error.h"

namespace gloss {

/// Formats a shape as "[2, 3]".
std::string shape_text(c10::IntArrayRef shape);

/// Throws ShapeError("name: wanted N dimensions, got [...]") unless `tensor` is defined and has N dimensions.
void expect_dimensions(const at::Tensor& tensor, std::int64_t dimensions, std::string_view name);

/// Throws ShapeError("name: wanted [1, 2, 3, 4], got [1, 2, 3, 8]") unless the shape is `expected`; -1 matches any
/// size.
void expect_shape(const at::Tensor& tensor, std::initializer_list<std::int64_t> expected, std::string_view name);

/// Throws ShapeError("name: wanted [..., 4], got [2, 3]") unless the last dimension has size `expected`.
void expect_width(const at::Tensor& tensor, std::int64_t expected, std::string_view name);

/// Returns `value` as an index. Throws ShapeError("name: wanted 0 to 4, got 5") unless 0 <= value < bound.
std::size_t index_below(std::int64_t value, std::int64_t bound, std::string_view name);

/// Throws ShapeError("name: wanted ids from 0 to 4, got 5") unless all ids are from 0 to `bound` - 1.
template <typename Id>
void expect_ids(std::span<const Id> ids, std::int64_t bound, std::string_view name) {
  for (const auto id : ids)
    if (id < 0 || id >= bound)
      throw ShapeError(std::string(name) + ": wanted ids from 0 to " + std::to_string(bound - 1) + ", got " +
                       std::to_string(id));
}

/// Returns the sizes of a tensor with N dimensions. Throws ShapeError for another number of dimensions.
/// Example: `const auto [B, T, D] = sizes<3>(x, "x");`
template <std::size_t N>
std::array<std::int64_t, N> sizes(const at::Tensor& tensor, std::string_view name) {
  expect_dimensions(tensor, N, name);
  std::array<std::int64_t, N> result;
  for (std::size_t i = 0; i < N; ++i) result[i] = tensor.size(static_cast<std::int64_t>(i));
  return result;
}

}  // namespace gloss
