#include "tensor/new_weight.h"

#include <utility>

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>

namespace gloss {
namespace {

thread_local bool without_memory = false;

}  // namespace

at::Tensor new_weight(at::IntArrayRef shape, double value) {
  if (without_memory) return at::empty(shape, at::device(at::kMeta).dtype(at::kFloat));
  return at::full(shape, value, at::kFloat);
}

ShapesOnly::ShapesOnly() : before_(std::exchange(without_memory, true)) {}

ShapesOnly::~ShapesOnly() { without_memory = before_; }

}  // namespace gloss
