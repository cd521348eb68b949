#include "model/storage/stored_weights.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include <ATen/ops/empty.h>

#include "common/error.h"
#include "model/storage/int8_weights.h"
#include "model/storage/tensor_view.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

// Positions are added, not multiplied, so they are no matrices here.
bool is_rounded(const std::string& name, const at::Tensor& weight) {
  return weight.dim() == 2 && name.find("positions") == std::string::npos;
}

TensorView bytes_of(const at::Tensor& tensor, Dtype dtype) {
  return {dtype, tensor.sizes().vec(), {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}};
}

void keep(const std::string& name, const at::Tensor& tensor, Dtype dtype, StoredWeights& stored) {
  stored.kept.push_back(tensor.contiguous());
  stored.tensors[name] = bytes_of(stored.kept.back(), dtype);
}

const TensorView* find(const SafetensorsFile& file, const std::string& name) {
  const auto found = file.tensors().find(name);
  return found == file.tensors().end() ? nullptr : &found->second;
}

// Rounds to the nearest finite value: bfloat16's largest value is below that of float32.
at::Tensor to_bfloat16(const at::Tensor& values) {
  const double greatest = static_cast<float>(std::numeric_limits<at::BFloat16>::max());
  return values.clamp(-greatest, greatest).to(at::kBFloat16);
}

// Copies, because the file's bytes may be unaligned.
at::Tensor copy_of(const TensorView& view, at::ScalarType type) {
  const auto values = at::empty(view.shape, type);
  if (!view.bytes.empty()) std::memcpy(values.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
  return values;
}

}  // namespace

std::string_view weight_precision_name(WeightPrecision precision) {
  return std::ranges::find(kWeightPrecisions, precision, &std::pair<std::string_view, WeightPrecision>::second)->first;
}

std::string scale_name(const std::string& weight) { return weight + "_scale"; }

void store_weight(const std::string& name, const at::Tensor& weight, WeightPrecision precision, StoredWeights& stored) {
  const auto values = weight.detach().to(at::kCPU, at::kFloat);
  if (precision == WeightPrecision::kFloat32 || !is_rounded(name, values)) {
    keep(name, values, Dtype::kF32, stored);
  } else if (precision == WeightPrecision::kBfloat16) {
    keep(name, to_bfloat16(values), Dtype::kBF16, stored);
  } else {
    const auto steps = to_int8(values);
    keep(name, steps.values, Dtype::kI8, stored);
    keep(scale_name(name), steps.scales, Dtype::kF32, stored);
  }
}

void expect_weight(const SafetensorsFile& file, const std::string& name, const std::vector<std::int64_t>& shape) {
  const auto* const view = find(file, name);
  if (view == nullptr) throw ModelError(file.name() + ": tensor " + name + " is missing");
  const bool is_matrix = shape.size() == 2;
  const bool is_known =
      view->dtype == Dtype::kF32 || view->dtype == Dtype::kBF16 || (view->dtype == Dtype::kI8 && is_matrix);
  if (!is_known || view->shape != shape) {
    throw ModelError(file.name() + ": tensor " + name + ": wanted F32" + (is_matrix ? ", BF16 or I8 " : " or BF16 ") +
                     shape_text(shape) + ", got " + tensor_text(*view));
  }
  if (view->dtype != Dtype::kI8) return;
  const auto* const scales = find(file, scale_name(name));
  if (scales == nullptr) throw ModelError(file.name() + ": tensor " + scale_name(name) + " is missing");
  if (scales->dtype != Dtype::kF32 || scales->shape != std::vector<std::int64_t>{shape[0]}) {
    throw ModelError(file.name() + ": tensor " + scale_name(name) + ": wanted F32 " + shape_text({shape[0]}) +
                     ", got " + tensor_text(*scales));
  }
}

void load_weight(const SafetensorsFile& file, const std::string& name, const at::Tensor& parameter) {
  expect_weight(file, name, parameter.sizes().vec());
  const auto& view = file.tensors().at(name);
  if (view.dtype == Dtype::kF32) return copy_into(parameter, view, file.name(), name);
  const auto values =
      view.dtype == Dtype::kBF16
          ? copy_of(view, at::kBFloat16).to(at::kFloat)
          : from_int8({copy_of(view, at::kChar), copy_of(file.tensors().at(scale_name(name)), at::kFloat)});
  copy_into(parameter, view_of(values), file.name(), name);
}

WeightPrecision stored_precision(const SafetensorsFile& file) {
  auto result = WeightPrecision::kFloat32;
  for (const auto& [name, view] : file.tensors()) {
    if (view.dtype == Dtype::kI8) return WeightPrecision::kInt8;
    if (view.dtype == Dtype::kBF16) result = WeightPrecision::kBfloat16;
  }
  return result;
}

}  // namespace gloss
