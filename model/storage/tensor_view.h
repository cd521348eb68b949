#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"

namespace gloss {

/// "F32 [2, 3]".
std::string tensor_text(const TensorView& view);

/// The bytes of a tensor on the CPU, contiguous float32; keep `tensor` alive as long as the view.
TensorView view_of(const at::Tensor& tensor);
/// Copies a file's tensor into `parameter` (same shape, any device). Throws ModelError naming `name`, wanted and found,
/// also where a value is not finite.
void copy_into(const at::Tensor& parameter, const TensorView& view, const std::string& file, const std::string& name);

}  // namespace gloss
