#include "model/storage/stored_weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/aminmax.h>
#include <ATen/ops/empty.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "model/storage/tensor_names.h"
#include "model/weights.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

// Returns whether a file stores the weight as a matrix. Positions are added, not multiplied, so they are no matrices.
bool is_rounded(const std::string& name, std::size_t dimensions) {
  const auto kind = weight_kind(name, dimensions);
  return kind == WeightKind::kMatrix || kind == WeightKind::kGates || kind == WeightKind::kEmbedding;
}

TensorView bytes_of(const at::Tensor& tensor, Dtype dtype) {
  return {dtype, tensor.sizes().vec(), {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}};
}

void keep(const std::string& name, const at::Tensor& tensor, Dtype dtype, FileTensors& stored) {
  stored.kept.push_back(tensor.contiguous());
  stored.tensors[name] = bytes_of(stored.kept.back(), dtype);
}

const TensorView* find(const SafetensorsFile& file, const std::string& name) {
  const auto found = file.tensors().find(name);
  return found == file.tensors().end() ? nullptr : &found->second;
}

at::Tensor read_tensor(const SafetensorsFile& file, const std::string& name, at::ScalarType type) {
  auto values = at::empty(file.tensors().at(name).shape, type);
  file.read(name, {static_cast<std::byte*>(values.mutable_data_ptr()), values.nbytes()});
  return values;
}

at::ScalarType type_of(Dtype dtype) {
  return dtype == Dtype::kI8 ? at::kChar : dtype == Dtype::kBF16 ? at::kBFloat16 : at::kFloat;
}

// Returns whether all values times `factor` are finite. The extremes of values with a NaN are NaN.
bool all_finite(const at::Tensor& values, float factor = 1) {
  if (values.numel() == 0) return true;
  const auto [min, max] = at::aminmax(values);
  return std::isfinite(min.item<float>() * factor) && std::isfinite(max.item<float>() * factor);
}

}  // namespace

StoredWeight to_int8(const at::Tensor& weight, Int8Scales kind) {
  auto scales = int8_scales(weight, kind).contiguous();
  return {int8_steps(weight, scales).to(at::kChar), scales};
}

at::Tensor in_half(const at::Tensor& values, at::ScalarType type) {
  const double max_value = type == at::kHalf ? static_cast<float>(std::numeric_limits<at::Half>::max())
                                             : static_cast<float>(std::numeric_limits<at::BFloat16>::max());
  return values.clamp(-max_value, max_value).to(type);
}

std::string_view weight_precision_name(WeightPrecision precision) {
  return std::ranges::find(kTranslatingPrecisions, precision, &std::pair<std::string_view, WeightPrecision>::second)
      ->first;
}

StoredWeight StoredWeight::rows(std::int64_t first, std::int64_t count) const {
  return {values.narrow(0, first, count), scales.defined() ? scales.narrow(0, first, count) : scales};
}

at::Tensor StoredWeight::to_float() const {
  if (!scales.defined()) return values.to(at::kFloat);
  expect_shape(scales, {values.size(0)}, "scales");
  return values.to(at::kFloat).mul_(scales.unsqueeze(1));
}

StoredWeight StoredWeight::as_int8() const { return scales.defined() ? *this : to_int8(to_float()); }

void add_stored_shapes(const std::string& name, const std::vector<std::int64_t>& shape, WeightPrecision precision,
                       std::map<std::string, TensorView>& tensors) {
  const bool rounded = precision != WeightPrecision::kFloat32 && is_rounded(name, shape.size());
  const bool is_int8 = rounded && precision == WeightPrecision::kInt8;
  tensors[name] = {is_int8 ? Dtype::kI8 : rounded ? Dtype::kBF16 : Dtype::kF32, shape, {}};
  if (is_int8) tensors[scale_name(name)] = {Dtype::kF32, {shape.front()}, {}};
}

void store_weight(const std::string& name, const at::Tensor& weight, WeightPrecision precision, FileTensors& stored,
                  Int8Scales scales) {
  store_weight(name, StoredWeight(weight.detach().to(at::kCPU, at::kFloat)), precision, stored, scales);
}

void store_weight(const std::string& name, const StoredWeight& weight, WeightPrecision precision, FileTensors& stored,
                  Int8Scales scales) {
  if (precision == WeightPrecision::kFloat32 || !is_rounded(name, static_cast<std::size_t>(weight.values.dim()))) {
    keep(name, weight.to_float(), Dtype::kF32, stored);
  } else if (precision == WeightPrecision::kBfloat16) {
    keep(name, in_half(weight.to_float(), at::kBFloat16), Dtype::kBF16, stored);
  } else {
    const auto steps = weight.scales.defined() ? weight : to_int8(weight.to_float(), scales);
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
  if (find(file, scale_name(name)) == nullptr)
    throw ModelError(file.name() + ": tensor " + scale_name(name) + " is missing");
  for (const auto& [scales, count] :
       {std::pair(scale_name(name), shape[0]), std::pair(input_scale_name(name), std::int64_t{1})}) {
    const auto* const found = find(file, scales);
    if (found != nullptr && (found->dtype != Dtype::kF32 || found->shape != std::vector<std::int64_t>{count}))
      throw ModelError(file.name() + ": tensor " + scales + ": wanted F32 " + shape_text({count}) + ", got " +
                       tensor_text(*found));
  }
}

std::optional<float> read_input_scale(const SafetensorsFile& file, const std::string& weight) {
  const auto name = input_scale_name(weight);
  if (find(file, name) == nullptr) return std::nullopt;
  const auto scale = read_tensor(file, name, at::kFloat).item<float>();
  if (scale > 0 && std::isfinite(scale) && std::isfinite(1 / scale)) return scale;
  throw ModelError(file.name() + ": tensor " + printable(name) + ": wanted a positive number, got " +
                   std::to_string(scale));
}

StoredWeight read_weight(const SafetensorsFile& file, const std::string& name) {
  const auto dtype = file.tensors().at(name).dtype;
  StoredWeight weight(read_tensor(file, name, type_of(dtype)));
  if (dtype == Dtype::kI8) weight.scales = read_tensor(file, scale_name(name), at::kFloat);
  weight.input_scale = read_input_scale(file, name).value_or(0);
  if (!(weight.scales.defined() ? all_finite(weight.scales, kMaxInt8) : all_finite(weight.values)))
    throw ModelError(file.name() + ": tensor " + printable(name) + " holds values that are not finite");
  return weight;
}

void load_weight(const SafetensorsFile& file, const std::string& name, const at::Tensor& parameter) {
  expect_weight(file, name, parameter.sizes().vec());
  const at::NoGradGuard no_grad;
  parameter.copy_(read_weight(file, name).to_float());
}

WeightPrecision stored_precision(const SafetensorsFile& file) {
  auto result = WeightPrecision::kFloat32;
  for (const auto& [name, view] : file.tensors()) {
    if (view.dtype == Dtype::kI8) return WeightPrecision::kInt8;
    if (view.dtype == Dtype::kBF16) result = WeightPrecision::kBfloat16;
  }
  return result;
}

std::string tensor_text(const TensorView& view) {
  return std::string(dtype_name(view.dtype)) + " " + shape_text(view.shape);
}

TensorView view_of(const at::Tensor& tensor) {
  if (!tensor.is_cpu() || tensor.scalar_type() != at::kFloat || !tensor.is_contiguous()) {
    throw ShapeError("view_of: wanted a contiguous float32 tensor on the CPU");
  }
  return bytes_of(tensor, Dtype::kF32);
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
  if (!all_finite(values)) {
    throw ModelError(file + ": tensor " + printable(name) + " holds values that are not finite");
  }
  parameter.copy_(values);
}

}  // namespace gloss
