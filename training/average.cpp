#include "training/average.h"

#include <cstring>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "common/error.h"
#include "model/storage/tensor_names.h"

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

}  // namespace gloss
