#include "model/inference/packed_linear.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include "common/error.h"
#include "kernels/kernel_table.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

constexpr double kPaddingBias = -1e30;
constexpr std::int64_t kMinWorkOfAThread = 1 << 18;  // multiplications per thread

constexpr std::int64_t kRowsAtATime = 16 * kernels::kPanelColumns;

using kernels::Precision;

at::ScalarType type_of(Precision precision) {
  return precision == Precision::kInt8 ? at::kChar : precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat;
}

}  // namespace

StoredWeight in_precision(const StoredWeight& weight, Precision precision) {
  const auto type = type_of(precision);
  if (weight.values.scalar_type() == type) return weight;
  if (precision != Precision::kInt8) return weight.to_float().to(type);
  return weight.as_int8();
}

bool is_fast(Precision precision) {
  using kernels::InstructionSet;
  if (precision == Precision::kFloat32) return true;
  return kernels::active_instruction_set() >=
         (precision == Precision::kInt8 ? InstructionSet::kAvx2 : InstructionSet::kAvx512Bf16);
}

PackedLinear::PackedLinear(std::span<const LinearWeights> parts, Precision precision) : precision_(precision) {
  if (parts.empty()) throw ShapeError("weight: wanted at least one, got none");
  if (precision == Precision::kInt8) {
    input_scale_ = parts.front().weight.input_scale;
    const auto other =
        std::ranges::find_if(parts, [&](const LinearWeights& part) { return part.weight.input_scale != input_scale_; });
    if (other != parts.end()) {
      expect_shape(other->weight.values, {-1, parts.front().weight.values.size(1)}, "weight");
      const auto own = static_cast<std::size_t>(other - parts.begin());
      rest_ = std::make_shared<const PackedLinear>(parts.subspan(own), precision);
      parts = parts.first(own);
    }
  }
  std::vector<at::Tensor> biases;
  for (const auto& part : parts) {
    in_ = sizes<2>(part.weight.values, "weight")[1];
    expect_shape(part.weight.values, {-1, parts.front().weight.values.size(1)}, "weight");
    expect_shape(part.bias, {part.weight.values.size(0)}, "bias");
    out_ += part.weight.values.size(0);
    biases.push_back(part.bias.detach());
  }
  const auto panels = kernels::panels_of(out_), padded = panels * kernels::kPanelColumns;
  bias_ = at::full({padded}, kPaddingBias, at::kFloat);
  bias_.narrow(0, 0, out_).copy_(at::cat(biases));
  const auto group = kernels::group_of(precision), groups = kernels::groups_of(precision, in_);
  panels_ = at::empty({panels, groups, kernels::kPanelColumns, group}, type_of(precision));
  if (precision == Precision::kInt8) {
    scales_ = at::zeros({padded}, at::kFloat);
    offsets_ = at::zeros({padded}, at::kInt);
  }
  if (out_ < padded) panels_[-1].zero_();
  std::int64_t column = 0;
  for (const auto& part : parts) {
    for (std::int64_t first = 0; first < part.bias.size(0); first += kRowsAtATime) {
      const auto rows = part.weight.rows(first, std::min(kRowsAtATime, part.bias.size(0) - first));
      pack(in_precision(rows, precision), column);
      column += rows.values.size(0);
    }
  }
}

// Packs rows of a weight in the precision of the product as the columns from `column` on.
void PackedLinear::pack(const StoredWeight& weight, std::int64_t column) {
  const auto groups = panels_.size(1), rows = weight.values.size(0);
  const auto values = at::constant_pad_nd(weight.values, {0, groups * panels_.size(3) - in_}).contiguous();
  // Groups have 32 bits each, like floats.
  const auto* const from = static_cast<const float*>(values.const_data_ptr());
  auto* const panels = static_cast<float*>(panels_.mutable_data_ptr());
  for (std::int64_t row = 0; row < rows;) {
    const auto panel = (column + row) / kernels::kPanelColumns, place = (column + row) % kernels::kPanelColumns;
    const auto count = std::min(kernels::kPanelColumns - place, rows - row);
    kernels::kernel_table().transpose(from + row * groups, groups, count, groups,
                                      panels + panel * groups * kernels::kPanelColumns + place, kernels::kPanelColumns);
    row += count;
  }
  if (precision_ != Precision::kInt8) return;
  scales_.narrow(0, column, rows).copy_(weight.scales);
  offsets_.narrow(0, column, rows).copy_(weight.values.sum(1, false, at::kInt).mul_(128));
}

void PackedLinear::keep(const std::string& name, PackedTensors& tensors) const {
  tensors[name + ".size"] = at::tensor({in_, out_});
  tensors[name + ".panels"] = panels_;
  tensors[name + ".bias"] = bias_;
  if (precision_ != Precision::kInt8) return;
  tensors[name + ".scales"] = scales_;
  tensors[name + ".offsets"] = offsets_;
  tensors[name + ".input_scale"] = at::full({1}, input_scale_);
  if (rest_ != nullptr) rest_->keep(name + ".rest", tensors);
}

std::optional<PackedLinear> PackedLinear::find(const std::string& name, const PackedTensors& tensors,
                                               Precision precision) {
  const auto found = tensors.find(name + ".size");
  if (found == tensors.end()) return std::nullopt;
  const auto* const size = found->second.const_data_ptr<std::int64_t>();
  PackedLinear result;
  result.precision_ = precision;
  result.in_ = size[0];
  result.out_ = size[1];
  result.panels_ = tensors.at(name + ".panels");
  result.bias_ = tensors.at(name + ".bias");
  if (precision != Precision::kInt8) return result;
  result.scales_ = tensors.at(name + ".scales");
  result.offsets_ = tensors.at(name + ".offsets");
  if (const auto scale = tensors.find(name + ".input_scale");
      scale != tensors.end())  // files of earlier versions: none
    result.input_scale_ = *scale->second.const_data_ptr<float>();
  if (auto rest = find(name + ".rest", tensors, precision))
    result.rest_ = std::make_shared<const PackedLinear>(std::move(*rest));
  return result;
}

void PackedLinear::apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y, kernels::Finish finish) const {
  const auto packed = matrix();
  const auto& table = kernels::kernel_table();
  const auto panels = kernels::panels_of(out_);
  at::parallel_for(0, panels, panels_a_thread(packed, rows), [&](std::int64_t first, std::int64_t last) {
    const PackedScratch scratch(packed, rows);
    table.packed_product({x, rows, packed, first, last, y, finish, scratch.data()});
  });
  if (rest_ != nullptr) rest_->apply(x, rows, {y.data + out_, y.stride}, finish);
}

kernels::PackedMatrix PackedLinear::matrix() const {
  kernels::PackedMatrix result;
  result.precision = precision_;
  result.panels = panels_.const_data_ptr();
  result.bias = bias_.const_data_ptr<float>();
  if (precision_ == Precision::kInt8) {
    result.scales = scales_.const_data_ptr<float>();
    result.offsets = offsets_.const_data_ptr<std::int32_t>();
    result.input_scale = input_scale_;
  }
  result.inner = in_;
  result.columns = out_;
  return result;
}

ListedOutputs::ListedOutputs(const PackedLinear& layer, at::Tensor weight, Ids ids)
    : layer_(layer.matrix()), weight_(std::move(weight)), ids_(std::move(ids)) {
  expect_shape(weight_, {layer_.columns, layer_.inner}, "weight");
  expect_ids(std::span<const Id>(ids_), layer_.columns, "ids");
  if (!weight_.is_contiguous() || weight_.scalar_type() != type_of(layer_.precision))
    throw ShapeError("weight: wanted contiguous rows in the precision of the product");
  const auto padded = static_cast<std::size_t>(kernels::panels_of(std::ssize(ids_)) * kernels::kPanelColumns);
  const auto gather = [&](const auto* values, auto& into, auto padding) {
    if (values == nullptr) return;
    into.resize(padded, padding);
    for (std::size_t j = 0; j < ids_.size(); ++j) into[j] = values[ids_[j]];
  };
  gather(layer_.bias, bias_, static_cast<float>(kPaddingBias));
  gather(layer_.scales, scales_, 0.0F);
  gather(layer_.offsets, offsets_, 0);
}

kernels::PackedMatrix ListedOutputs::matrix() const {
  auto result = layer_;
  result.panels = nullptr;
  result.bias = bias_.data();
  result.scales = scales_.data();
  result.offsets = offsets_.data();
  result.columns = std::ssize(ids_);
  result.weight = weight_.const_data_ptr();
  result.listed = ids_.data();
  return result;
}

PackedScratch::PackedScratch(const kernels::PackedMatrix& matrix, std::int64_t rows) {
  const auto bytes = kernels::packed_scratch(matrix.precision, rows, matrix.inner) +
                     (matrix.listed == nullptr ? 0 : kernels::panel_bytes(matrix.precision, matrix.inner));
  if (bytes > 0) memory_ = at::empty({bytes}, at::kByte);
}

std::int64_t panels_a_thread(const kernels::PackedMatrix& matrix, std::int64_t rows) {
  const auto work = std::max<std::int64_t>(1, rows * matrix.inner * kernels::kPanelColumns);
  return std::max<std::int64_t>(1, kMinWorkOfAThread / work);
}

}  // namespace gloss
