#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"
#include "training/adam.h"
#include "training/checkpoint.h"
#include "training/training_config.h"
#include "training/training_state.h"

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

/// While an object lives, the model holds the EMA of its weights instead of the weights, if Adam keeps one. The
/// destructor restores the weights bit for bit.
class EmaWeights {
 public:
  /// With several processes, all must call it.
  explicit EmaWeights(const Adam& adam);
  ~EmaWeights();
  EmaWeights(const EmaWeights&) = delete;
  EmaWeights& operator=(const EmaWeights&) = delete;

 private:
  void exchange();

  std::vector<Adam::Ema> emas_;
  at::Tensor scratch_;  ///< size of the largest parameter; allocated in advance, so that restoring cannot fail
};

/// Replaces the weights by their EMA, if there is one. With several processes, all must call it.
void take_ema(const Adam& adam);

/// Sets the model's weights to those that a run ending at `state` keeps: with early stopping those of the best
/// validation; otherwise, with average_last, the mean of the last saves; otherwise the last ones. The EMA replaces the
/// weights if the run kept one. An unreadable checkpoint is skipped with a warning. Returns the steps of the weights:
/// one, or those of the mean.
std::vector<std::int64_t> keep_weights(const Adam& adam, const CheckpointFolder& folder, const TrainingConfig& config,
                                       const TrainingState& state);

}  // namespace gloss
