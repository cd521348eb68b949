#include "training/kept_weights.h"

#include <algorithm>
#include <string>
#include <utility>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "common/error.h"
#include "common/log/log.h"
#include "tensor/caching_allocator.h"
#include "training/average.h"

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

EmaWeights::EmaWeights(const Adam& adam) : emas_(adam.emas()) {
  if (emas_.empty()) return;
  std::int64_t max_elements = 0;
  for (const auto& [parameter, ema] : emas_) max_elements = std::max(max_elements, ema.numel());
  scratch_ = at::empty({max_elements}, emas_.front().ema.options());
  exchange();
}

EmaWeights::~EmaWeights() { exchange(); }

void EmaWeights::exchange() {
  const at::NoGradGuard no_grad;
  for (const auto& [parameter, ema] : emas_) {
    const auto kept = scratch_.narrow(0, 0, ema.numel()).view(ema.sizes());
    kept.copy_(parameter);
    parameter.copy_(ema);
    ema.copy_(kept);
  }
}

void take_ema(const Adam& adam) {
  const at::NoGradGuard no_grad;
  for (const auto& [parameter, ema] : adam.emas()) parameter.copy_(ema);
}

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
