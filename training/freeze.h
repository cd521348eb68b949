#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/encoder_decoder.h"

namespace gloss {

/// Returns the parameters among `names` that belong to `parts` (training.freeze). A part is a prefix of a tensor's name
/// up to a dot, or the whole name: "encoder", "decoder.layers.0" or "generator.bias". Names of tied tensors (the target
/// embedding and the generator's matrix) refer to the tensor that they share. Throws UsageError, with the nearest name,
/// for an unknown part, and if nothing is left to train.
std::set<std::string> frozen_parameters(std::span<const std::string> parts, std::span<const std::string> names);

/// Freezes the parameters that belong to `parts` and returns them. Throws as frozen_parameters.
std::vector<std::pair<std::string, at::Tensor>> freeze(EncoderDecoder& model, std::span<const std::string> parts);

}  // namespace gloss
