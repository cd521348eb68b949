#include "model/alternatives/norms.h"

#include <string>
#include <vector>

#include <ATen/TensorOperators.h>

#include "model/batch_statistics.h"
#include "model/padding.h"
#include "tensor/half_precision.h"
#include "tensor/new_weight.h"
#include "tensor/shape.h"
#include "tensor/to_device.h"

namespace gloss {
namespace {

/// Returns the lengths of the sentences that the norm at `site` sees; empty if no position is padding.
std::vector<std::int64_t> lengths_at(const std::string& site, const BatchContext* batch) {
  if (batch == nullptr) return {};
  return site.starts_with("decoder") || site.starts_with("target") ? batch->target_lengths : batch->source_lengths;
}

/// Returns the rows [N, D] of x [B, T, D] that are not padding.
at::Tensor filled_rows(const at::Tensor& x, const std::vector<std::int64_t>& lengths) {
  const auto rows = x.reshape({-1, x.size(-1)});
  return lengths.empty() ? rows : rows.index_select(0, to_device(filled_positions(lengths, x.size(1)), x.device()));
}

}  // namespace

RmsNorm::RmsNorm(std::int64_t width, double epsilon)
    : weight_(register_parameter("weight", new_weight({width}, 1))), epsilon_(epsilon) {}

at::Tensor RmsNorm::forward(const at::Tensor& x, const Pass& /*pass*/) {
  expect_width(x, weight_.size(0), "x");
  const auto wide = at_least_float(x);
  const auto mean_square = wide.square().mean(-1, /*keepdim=*/true);              // [..., 1]
  return (wide / (mean_square + epsilon_).sqrt() * weight_).to(x.scalar_type());  // [..., D]
}

BatchNorm::BatchNorm(std::int64_t width, double epsilon)
    : weight_(register_parameter("weight", new_weight({width}, 1))),
      bias_(register_parameter("bias", new_weight({width}))),
      running_mean_(register_parameter("running_mean", new_weight({width}), /*requires_grad=*/false)),
      running_variance_(register_parameter("running_variance", new_weight({width}, 1), /*requires_grad=*/false)),
      epsilon_(epsilon) {}

at::Tensor BatchNorm::forward(const at::Tensor& x, const Pass& pass) {
  expect_width(x, weight_.size(0), "x");
  auto mean = running_mean_, variance = running_variance_;  // [D] each
  if (pass.training && weight_.requires_grad()) {
    const auto rows = filled_rows(x, lengths_at(site(), pass.batch));  // [N, D]
    const auto N = static_cast<double>(rows.size(0));
    mean = rows.mean(0);
    variance = (rows - mean).square().mean(0);
    if (pass.batch != nullptr && N > 1) {
      pass.batch->statistics.seen.push_back({running_mean_, mean.detach()});
      pass.batch->statistics.seen.push_back({running_variance_, variance.detach() * (N / (N - 1))});
    }
  }
  const auto wide = at_least_float(x);
  return ((wide - mean) / (at_least_float(variance) + epsilon_).sqrt() * weight_ + bias_).to(x.scalar_type());
}

}  // namespace gloss
