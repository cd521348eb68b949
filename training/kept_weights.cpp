#include "training/kept_weights.h"

#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "common/log/log.h"
#include "tensor/caching_allocator.h"
#include "training/average.h"
#include "training/checkpoint_name.h"
#include "training/checkpoint_tensors.h"
#include "training/ema_weights.h"

namespace gloss {
namespace {

bool take_best(const Adam& adam, const CheckpointFolder& folder, std::int64_t step) {
  try {
    restore_weights(adam, folder.open(checkpoint_name(step)));
    return true;
  } catch (const ModelError& fault) {
    log_warning(std::string(fault.what()) + "; the last weights are kept instead of the best");
    return false;
  }
}

// Returns the steps of the intact files. Without any, the weights are unchanged.
std::vector<std::int64_t> take_average(const Adam& adam, const CheckpointFolder& folder,
                                       const std::vector<std::string>& names) {
  WeightAverage average;
  std::vector<std::int64_t> steps;
  for (const std::string& name : names) {
    try {
      average.add(folder.open(name));
      steps.push_back(checkpoint_step(name).value());
    } catch (const ModelError& fault) {
      log_warning(std::string(fault.what()) + "; skipped in the average");
    }
  }
  if (steps.empty()) {
    log_warning("no checkpoint is left to average; the last weights are kept");
    return steps;
  }
  const auto mean = average.mean();
  const at::NoGradGuard no_grad;
  for (const Adam::Slot& slot : adam.slots()) slot.parameter.copy_(mean.at(slot.name));
  return steps;
}

}  // namespace

std::vector<std::int64_t> keep_weights(const Adam& adam, const CheckpointFolder& folder, const TrainingConfig& config,
                                       const TrainingState& state) {
  release_cached_memory();  // frees memory for reading files and summing them
  take_ema(adam);
  if (config.early_stop.patience > 0 && state.best_step > 0 && take_best(adam, folder, state.best_step))
    return {state.best_step};
  if (!state.averaged.empty()) {
    auto steps = take_average(adam, folder, state.averaged);
    if (!steps.empty()) return steps;
  }
  return {state.step};
}

}  // namespace gloss
