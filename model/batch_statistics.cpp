#include "model/batch_statistics.h"

#include <iterator>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

namespace gloss {

void BatchStatistics::append(BatchStatistics after) {
  seen.insert(seen.end(), std::make_move_iterator(after.seen.begin()), std::make_move_iterator(after.seen.end()));
}

void BatchStatistics::update_running() const {
  const at::NoGradGuard no_grad;
  for (const auto& [running, value] : seen) running.mul_(1 - kMomentum).add_(value, kMomentum);
}

}  // namespace gloss
