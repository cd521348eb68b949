#pragma once

#include <ATen/core/Tensor.h>

namespace gloss {

/// Returns a float32 tensor for a weight of a module, with `value` in every element. While a ShapesOnly of this thread
/// exists, the tensor has a shape, but no memory.
at::Tensor new_weight(at::IntArrayRef shape, double value = 0);

/// Lets modules be built without memory for their weights, to list these. For the thread that creates it, while it
/// exists.
///
///     const ShapesOnly without_memory;
///     Linear(1 << 17, 1 << 17)->named_parameters();   // "weight" [131072, 131072], "bias" [131072]
class ShapesOnly {
 public:
  ShapesOnly();
  ~ShapesOnly();
  ShapesOnly(const ShapesOnly&) = delete;
  ShapesOnly& operator=(const ShapesOnly&) = delete;

 private:
  bool before_;
};

}  // namespace gloss
