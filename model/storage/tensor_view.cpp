#include "model/storage/tensor_view.h"

#include <cstring>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/isfinite.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "tensor/shape.h"

namespace gloss {

std::string tensor_text(const TensorView& view) {
  return std::string(dtype_name(view.dtype)) + " " + shape_text(view.shape);
}

TensorView view_of(const at::Tensor& tensor) {
  if (!tensor.is_cpu() || tensor.scalar_type() != at::kFloat || !tensor.is_contiguous()) {
    throw ShapeError("view_of: wanted a contiguous float32 tensor on the CPU");
  }
  const auto* bytes = static_cast<const std::byte*>(tensor.const_data_ptr());
  return {Dtype::kF32, tensor.sizes().vec(), {bytes, tensor.nbytes()}};
}

void copy_into(const at::Tensor& parameter, const TensorView& view, const std::string& file, const std::string& name) {
  if (view.dtype != Dtype::kF32 || parameter.sizes() != view.shape) {
    throw ModelError(file + ": tensor " + printable(name) + ": wanted F32 " + shape_text(parameter.sizes()) + ", got " +
                     tensor_text(view));
  }
  const at::NoGradGuard no_grad;
  const auto values = at::empty(view.shape, at::kFloat);  // a copy, because the file's bytes may be unaligned
  if (view.bytes.size() != values.nbytes()) throw ShapeError("copy_into: wanted a tensor with its bytes in memory");
  if (!view.bytes.empty()) std::memcpy(values.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
  if (!at::isfinite(values).all().item<bool>()) {
    throw ModelError(file + ": tensor " + printable(name) + " holds values that are not finite");
  }
  parameter.copy_(values);
}

}  // namespace gloss
