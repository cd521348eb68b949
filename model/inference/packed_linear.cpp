#include "model/inference/packed_linear.h"

#include <algorithm>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "model/kernels/kernel_table.h"
#include "model/shape.h"

namespace gloss {
namespace {

constexpr double kNothing = -1e30;
constexpr std::int64_t kWorthWaking = 1 << 18;  // multiplications

}  // namespace

PackedLinear::PackedLinear(std::span<const LinearWeights> parts) {
  std::vector<at::Tensor> weights, biases;
  for (const auto& part : parts) {
    in_ = sizes<2>(part.weight, "weight")[1];
    expect_shape(part.weight, {-1, parts.front().weight.size(1)}, "weight");
    expect_shape(part.bias, {part.weight.size(0)}, "bias");
    weights.push_back(part.weight.detach());
    biases.push_back(part.bias.detach());
  }
  const auto weight = at::cat(weights);  // [out, in]
  out_ = weight.size(0);
  const auto panels = kernels::panels_of(out_), padded = panels * kernels::kPanelColumns;
  const auto whole = at::zeros({padded, in_}, at::kFloat);
  whole.narrow(0, 0, out_).copy_(weight);
  panels_ = whole.view({panels, kernels::kPanelColumns, in_}).transpose(1, 2).contiguous();
  bias_ = at::full({padded}, kNothing, at::kFloat);
  bias_.narrow(0, 0, out_).copy_(at::cat(biases));
}

void PackedLinear::apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y, kernels::Finish finish) const {
  const auto packed = matrix();
  const auto& table = kernels::kernel_table();
  const auto panels = kernels::panels_of(out_);
  at::parallel_for(0, panels, panels_a_thread(packed, rows), [&](std::int64_t first, std::int64_t last) {
    table.packed_product({x, rows, packed, first, last, y, finish});
  });
}

kernels::PackedMatrix PackedLinear::matrix() const {
  return {panels_.const_data_ptr<float>(), bias_.const_data_ptr<float>(), in_, out_};
}

std::int64_t panels_a_thread(const kernels::PackedMatrix& matrix, std::int64_t rows) {
  const auto work = std::max<std::int64_t>(1, rows * matrix.inner * kernels::kPanelColumns);
  return std::max<std::int64_t>(1, kWorthWaking / work);
}

}  // namespace gloss
