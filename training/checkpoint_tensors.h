#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"
#include "training/adam.h"

namespace gloss {

/// Returns the tensors of a checkpoint: the weights by name; for trained ones also Adam's moments and, if enabled, the
/// EMA, by the names of model/storage/tensor_names.h. With several processes, all must call it; if they divide
/// Adam's state, only process 0 gets more than the weights.
std::map<std::string, at::Tensor> checkpoint_tensors(const Adam& adam);

/// Copies a checkpoint's tensors into the model and Adam. Throws ModelError if one is missing, unknown, not finite or
/// has another shape.
void restore(Adam& adam, const SafetensorsFile& file);
/// Copies the weights for translating only: the EMA of a weight if the file has one.
void restore_weights(const Adam& adam, const SafetensorsFile& file);

/// Throws DivergedError with the tensor's name if a weight is not finite: such weights cannot recover and must not
/// replace good ones.
void expect_finite(const Adam& adam, std::int64_t step);

}  // namespace gloss
