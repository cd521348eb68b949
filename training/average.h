#pragma once

#include <cstdint>
#include <map>
#include <string>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"

namespace gloss {

/// The mean of the weights of several model or checkpoint files, tensor by tensor. Weights are a file's float32 tensors
/// without the optimizer's, and where a checkpoint has the moving mean of a weight ("ema.<name>"), that one: what the
/// checkpoint was validated with. Sums are kept in double, in the order of adding.
class WeightAverage {
 public:
  /// Throws ModelError where the names or shapes are not those of the first file.
  void add(const SafetensorsFile& file);

  std::int64_t files() const { return files_; }
  /// float32 on the CPU. Throws ModelError where nothing was added.
  std::map<std::string, at::Tensor> mean() const;

 private:
  std::int64_t files_ = 0;
  std::map<std::string, at::Tensor> sums_;
};

}  // namespace gloss
