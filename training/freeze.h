#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/encoder_decoder.h"

namespace gloss {

/// The parameters, of those of `names`, that belong to `parts` (training.freeze): a part is the beginning of a
/// tensor's name up to a dot, or the whole name, as "encoder", "decoder.layers.0" or "generator.bias". The target's
/// embedding and the generator's matrix, where they are tied to another tensor, stand for that one. Throws UsageError
/// where a part is none of the model's, with the nearest one, and where nothing is left to train.
std::set<std::string> frozen_parameters(std::span<const std::string> parts, std::span<const std::string> names);

/// Stops the recording of gradients for what belongs to `parts` and returns it. Throws as above.
std::vector<std::pair<std::string, at::Tensor>> freeze(EncoderDecoder& model, std::span<const std::string> parts);

}  // namespace gloss
