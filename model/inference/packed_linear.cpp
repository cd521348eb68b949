#include "model/inference/packed_linear.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
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

StoredWeight in_precision(const StoredWeight& weight, Precision precision) {
  const auto type = type_of(precision);
  if (weight.values.scalar_type() == type) return weight;
  if (precision != Precision::kInt8) return weight.to_float().to(type);
  auto [values, scales] = weight.as_int8();
  return {std::move(values), std::move(scales)};
}

}  // namespace

bool is_fast(Precision precision) {
  using kernels::InstructionSet;
  if (precision == Precision::kFloat32) return true;
  return kernels::active_instruction_set() >=
         (precision == Precision::kInt8 ? InstructionSet::kAvx512Vnni : InstructionSet::kAvx512Bf16);
}

PackedLinear::PackedLinear(std::span<const LinearWeights> parts, Precision precision) : precision_(precision) {
  if (parts.empty()) throw ShapeError("weight: wanted at least one, got none");
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
    offsets_ = at::empty({padded}, at::kInt);
  }
  for (std::int64_t first = 0; first < padded; first += kRowsAtATime)
    pack(parts, first, std::min(kRowsAtATime, padded - first));
}

// Packs the rows from `first` on, of all parts one after the other. Both numbers are multiples of kPanelColumns.
void PackedLinear::pack(std::span<const LinearWeights> parts, std::int64_t first, std::int64_t rows) {
  const auto panels = rows / kernels::kPanelColumns, groups = panels_.size(1), group = panels_.size(3);
  const auto block = at::zeros({rows, groups * group}, panels_.scalar_type());
  std::int64_t begin = -first;  // of the part, as a row of the block
  for (const auto& [weight, bias] : parts) {
    const auto end = begin + bias.size(0);
    const auto from = std::max<std::int64_t>(begin, 0), count = std::min(end, rows) - from;
    if (count > 0) {
      const auto converted = in_precision(weight.rows(from - begin, count), precision_);
      block.narrow(0, from, count).narrow(1, 0, in_).copy_(converted.values);
      if (scales_.defined()) scales_.narrow(0, first + from, count).copy_(converted.scales);
    }
    begin = end;
  }
  if (offsets_.defined()) offsets_.narrow(0, first, rows).copy_(block.sum(1, false, at::kInt).mul_(128));
  panels_.narrow(0, first / kernels::kPanelColumns, panels)
      .copy_(block.view({panels, kernels::kPanelColumns, groups, group}).transpose(1, 2));
}

void PackedLinear::apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y, kernels::Finish finish) const {
  const auto packed = matrix();
  const auto& table = kernels::kernel_table();
  const auto panels = kernels::panels_of(out_);
  at::parallel_for(0, panels, panels_a_thread(packed, rows), [&](std::int64_t first, std::int64_t last) {
    const PackedScratch scratch(packed, rows);
    table.packed_product({x, rows, packed, first, last, y, finish, scratch.data()});
  });
}

kernels::PackedMatrix PackedLinear::matrix() const {
  kernels::PackedMatrix result;
  result.precision = precision_;
  result.panels = panels_.const_data_ptr();
  result.bias = bias_.const_data_ptr<float>();
  if (precision_ == Precision::kInt8) {
    result.scales = scales_.const_data_ptr<float>();
    result.offsets = offsets_.const_data_ptr<std::int32_t>();
  }
  result.inner = in_;
  result.columns = out_;
  return result;
}

PackedScratch::PackedScratch(const kernels::PackedMatrix& matrix, std::int64_t rows) {
  const auto bytes = kernels::packed_scratch(matrix.precision, rows, matrix.inner);
  if (bytes > 0) memory_ = at::empty({bytes}, at::kByte);
}

std::int64_t panels_a_thread(const kernels::PackedMatrix& matrix, std::int64_t rows) {
  const auto work = std::max<std::int64_t>(1, rows * matrix.inner * kernels::kPanelColumns);
  return std::max<std::int64_t>(1, kMinWorkOfAThread / work);
}

}  // namespace gloss
