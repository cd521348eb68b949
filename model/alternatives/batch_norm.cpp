#include "model/alternatives/batch_norm.h"

#include <iterator>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include "model/mask.h"
#include "tensor/shape.h"

namespace gloss {
namespace {

/// Returns the rows [N, D] of x [B, T, D] that are not padding.
at::Tensor filled_rows(const at::Tensor& x, const Pass& pass) {
  if (pass.lengths == nullptr || pass.lengths->empty()) return x.reshape({-1, x.size(-1)});
  const auto filled = Mask::padding(*pass.lengths).visible(1, x.size(1), x.device()).view({-1, x.size(1)});  // [B, T]
  return x.index({filled});
}

}  // namespace

BatchNorm::BatchNorm(std::int64_t width, double epsilon)
    : weight_(register_parameter("weight", at::ones({width}))),
      bias_(register_parameter("bias", at::zeros({width}))),
      running_mean_(register_parameter("running_mean", at::zeros({width}), /*requires_grad=*/false)),
      running_variance_(register_parameter("running_variance", at::ones({width}), /*requires_grad=*/false)),
      epsilon_(epsilon) {}

at::Tensor BatchNorm::forward(const at::Tensor& x, const Pass& pass) {
  expect_width(x, weight_.size(0), "x");
  auto mean = running_mean_, variance = running_variance_;  // [D] each
  if (pass.training && weight_.requires_grad()) {
    const auto rows = filled_rows(x, pass);  // [N, D]
    const auto N = static_cast<double>(rows.size(0));
    mean = rows.mean(0);
    variance = (rows - mean).square().mean(0);
    if (pass.batch_statistics != nullptr && N > 1) {
      pass.batch_statistics->add(running_mean_, mean.detach());
      pass.batch_statistics->add(running_variance_, variance.detach() * (N / (N - 1)));
    }
  }
  return (x - mean) / (variance + epsilon_).sqrt() * weight_ + bias_;
}

void BatchStatistics::add(at::Tensor running, at::Tensor value) {
  seen_.push_back({std::move(running), std::move(value)});
}

void BatchStatistics::append(BatchStatistics after) {
  seen_.insert(seen_.end(), std::make_move_iterator(after.seen_.begin()), std::make_move_iterator(after.seen_.end()));
}

void BatchStatistics::update_running() const {
  const at::NoGradGuard no_grad;
  for (const auto& [running, value] : seen_) running.mul_(1 - BatchNorm::kMomentum).add_(value, BatchNorm::kMomentum);
}

}  // namespace gloss
