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

/// The tensors of a checkpoint: the weights by name and, of those that are trained, Adam's means as "adam.m.<name>" and
/// "adam.v.<name>" and, where it is kept, the moving mean of the weights as "ema.<name>".
std::map<std::string, at::Tensor> checkpoint_tensors(const Adam& adam);

/// Copies a checkpoint's tensors into the model and Adam. Throws ModelError where one is missing, unknown, of another
/// shape or not finite.
void restore(const Adam& adam, const SafetensorsFile& file);
/// The weights alone, as they are to translate: the moving mean of a weight where the file has one.
void restore_weights(const Adam& adam, const SafetensorsFile& file);

/// Throws DivergedError naming the tensor where a weight is not finite: such weights can never be mended, and must not
/// take the place of good ones.
void expect_finite(const Adam& adam, std::int64_t step);

}  // namespace gloss
