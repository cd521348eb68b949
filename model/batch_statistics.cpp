#include "model/batch_statistics.h"

#include <iterator>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

namespace gloss {

void BatchStatistics::add(at::Tensor running, at::Tensor value) {
  seen_.push_back({std::move(running), std::move(value)});
}

void BatchStatistics::append(BatchStatistics after) {
  seen_.insert(seen_.end(), std::make_move_iterator(after.seen_.begin()), std::make_move_iterator(after.seen_.end()));
}

void BatchStatistics::update_running() const {
  const at::NoGradGuard no_grad;
  for (const auto& [running, value] : seen_) running.mul_(1 - kMomentum).add_(value, kMomentum);
}

}  // namespace gloss
