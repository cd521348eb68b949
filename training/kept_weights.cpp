#include "training/kept_weights.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "common/error.h"
#include "common/log/log.h"
#include "model/storage/tensor_names.h"
#include "tensor/caching_allocator.h"

namespace gloss {
namespace {

// Returns the tensor to use for the weight `name`: its EMA if the file has one.
const TensorView& smoothed(const SafetensorsFile& file, const std::string& name, const TensorView& view) {
  const auto ema = file.tensors().find(ema_name(name));
  return ema != file.tensors().end() && ema->second.dtype == Dtype::kF32 ? ema->second : view;
}

// Copies to float64; the file's bytes need not be aligned.
at::Tensor read_double(const TensorView& view) {
  const auto values = at::empty(view.shape, at::kFloat);
  if (!view.bytes.empty()) std::memcpy(values.mutable_data_ptr(), view.bytes.data(), view.bytes.size());
  return values.to(at::kDouble);
}

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

void WeightAverage::add(const SafetensorsFile& file) {
  std::map<std::string, at::Tensor> weights;
  for (const auto& [name, view] : file.tensors())
    if (view.dtype == Dtype::kF32 && is_weight_name(name))
      weights.emplace(name, read_double(smoothed(file, name, view)));

  if (files_ == 0) {
    sums_ = std::move(weights);
  } else {
    for (const auto& [name, sum] : sums_) {
      const auto weight = weights.find(name);
      if (weight == weights.end())
        throw ModelError(file.name() + ": has no weight " + name + ", unlike the files before");
      if (weight->second.sizes() != sum.sizes())
        throw ModelError(file.name() + ": " + name + " is of another shape than in the files before");
    }
    for (const auto& [name, weight] : weights)
      if (!sums_.contains(name)) throw ModelError(file.name() + ": has a weight " + name + ", unlike the files before");
    for (auto& [name, sum] : sums_) sum.add_(weights.at(name));
  }
  ++files_;
}

std::map<std::string, at::Tensor> WeightAverage::mean() const {
  if (files_ == 0) throw ModelError("average: wanted at least one file with weights, got none");
  std::map<std::string, at::Tensor> means;
  for (const auto& [name, sum] : sums_) means.emplace(name, (sum / static_cast<double>(files_)).to(at::kFloat));
  return means;
}

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
