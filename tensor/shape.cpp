#include "tensor/shape.h"

#include <algorithm>

namespace gloss {
namespace {

std::string actual_shape(const at::Tensor& tensor) { return tensor.defined() ? shape_text(tensor.sizes()) : "nothing"; }

}  // namespace

std::string shape_text(c10::IntArrayRef shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  return text + "]";
}

void expect_dimensions(const at::Tensor& tensor, std::int64_t dimensions, std::string_view name) {
  if (tensor.defined() && tensor.dim() == dimensions) return;
  throw ShapeError(std::string(name) + ": wanted " + std::to_string(dimensions) + " dimensions, got " +
                   actual_shape(tensor));
}

void expect_shape(const at::Tensor& tensor, std::initializer_list<std::int64_t> expected, std::string_view name) {
  const auto fits = [](std::int64_t got, std::int64_t want) { return want == -1 || got == want; };
  if (tensor.defined() && std::ranges::equal(tensor.sizes(), expected, fits)) return;
  throw ShapeError(std::string(name) + ": wanted " + shape_text(expected) + ", got " + actual_shape(tensor));
}

void expect_width(const at::Tensor& tensor, std::int64_t expected, std::string_view name) {
  if (tensor.defined() && tensor.dim() > 0 && tensor.size(-1) == expected) return;
  throw ShapeError(std::string(name) + ": wanted [..., " + std::to_string(expected) + "], got " + actual_shape(tensor));
}

std::size_t index_below(std::int64_t value, std::int64_t bound, std::string_view name) {
  if (value >= 0 && value < bound) return static_cast<std::size_t>(value);
  throw ShapeError(std::string(name) + ": wanted 0 to " + std::to_string(bound - 1) + ", got " + std::to_string(value));
}

}  // namespace gloss
