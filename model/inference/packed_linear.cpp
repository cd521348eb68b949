#include "model/inference/packed_linear.h"

#include <algorithm>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "common/error.h"
#include "kernels/kernel_table.h"
#include "model/storage/int8_weights.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

constexpr double kPaddingBias = -1e30;
constexpr std::int64_t kMinWorkOfAThread = 1 << 18;  // multiplications per thread

using kernels::Precision;

}  // namespace

bool is_fast(Precision precision) {
  using kernels::InstructionSet;
  if (precision == Precision::kFloat32) return true;
  return kernels::active_instruction_set() >=
         (precision == Precision::kInt8 ? InstructionSet::kAvx512Vnni : InstructionSet::kAvx512Bf16);
}

PackedLinear::PackedLinear(std::span<const LinearWeights> parts, Precision precision) : precision_(precision) {
  if (parts.empty()) throw ShapeError("weight: wanted at least one, got none");
  std::vector<at::Tensor> weights, biases;
  for (const auto& part : parts) {
    in_ = sizes<2>(part.weight, "weight")[1];
    expect_shape(part.weight, {-1, parts.front().weight.size(1)}, "weight");
    expect_shape(part.bias, {part.weight.size(0)}, "bias");
    weights.push_back(part.weight.detach());
    biases.push_back(part.bias.detach());
  }
  auto weight = at::cat(weights).to(at::kFloat);  // [out, in]
  out_ = weight.size(0);
  const auto padded = kernels::panels_of(out_) * kernels::kPanelColumns;
  bias_ = at::full({padded}, kPaddingBias, at::kFloat);
  bias_.narrow(0, 0, out_).copy_(at::cat(biases));
  if (precision == Precision::kBfloat16) weight = weight.to(at::kBFloat16);
  if (precision == Precision::kInt8) {
    const auto steps = to_int8(weight);
    weight = steps.values;
    scales_ = steps.scales;
  }

  const auto group = kernels::group_of(precision), groups = kernels::groups_of(precision, in_);
  const auto whole = at::zeros({padded, groups * group}, weight.options());
  whole.narrow(0, 0, out_).narrow(1, 0, in_).copy_(weight);
  panels_ = whole.view({-1, kernels::kPanelColumns, groups, group}).transpose(1, 2).contiguous();
  if (precision != Precision::kInt8) return;
  offsets_ = whole.sum(1, false, at::kInt).mul_(128);
  scales_ = at::constant_pad_nd(scales_, {0, padded - out_});
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
