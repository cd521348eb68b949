#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"

namespace gloss {

/// The mean of the weights of several model or checkpoint files, tensor by tensor. Weights are a file's float32 tensors
/// with the name of a weight (model/storage/tensor_names.h). If a checkpoint has its EMA, the EMA is used, because the
/// checkpoint was validated with it. Sums are double, in the order of adding.
class WeightAverage {
 public:
  /// Adds a file. Throws ModelError if its names or shapes differ from those of the first file.
  void add(const SafetensorsFile& file);

  std::int64_t files() const { return files_; }
  /// Returns the mean as float32 on the CPU. Throws ModelError if nothing was added.
  std::map<std::string, at::Tensor> mean() const;

 private:
  std::int64_t files_ = 0;
  std::map<std::string, at::Tensor> sums_;
};

}  // namespace gloss
