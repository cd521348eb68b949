#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"

namespace gloss {

/// Returns type and shape as "F32 [2, 3]".
std::string tensor_text(const TensorView& view);

/// Returns a view of the bytes of a contiguous float32 tensor on the CPU. `tensor` must outlive the view.
TensorView view_of(const at::Tensor& tensor);
/// Copies a file's tensor into `parameter` (same shape, any device). Throws ModelError with `name`, the expected and
/// the actual shape, also if a value is not finite.
void copy_into(const at::Tensor& parameter, const TensorView& view, const std::string& file, const std::string& name);

}  // namespace gloss
