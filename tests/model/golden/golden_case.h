#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include "model/encoder_decoder.h"
#include "tests/support/golden.h"

namespace gloss {

using NamedTensors = std::map<std::string, at::Tensor>;

/// Multiples of 1/32768 in [-1, 1], a function of shape and name alone, as `values` of tests/golden/model.py.
at::Tensor named_values(at::IntArrayRef shape, std::string_view name, at::Device device);
/// `named_values` times two, to be differentiated by.
at::Tensor named_input(at::IntArrayRef shape, std::string_view name, at::Device device);

/// Moves `part` to the device and gives each weight its value by `site` + its name, as `weight` of
/// tests/golden/model.py; returns those with a gradient by that name.
NamedTensors set_named_weights(torch::nn::Module& part, const std::string& site, at::Device device);

/// Returns x [B, T, ...] without the positions past each row's length, [N, ...].
at::Tensor real_positions(const at::Tensor& x, const std::vector<std::int64_t>& lengths);

/// Expects `result`, and the gradients of sum(result * named_values("cotangent")) by each of `inputs`, to be what
/// PyTorch found for the case, within `tolerance` (relative above 1). At most one failure, which names the case.
void expect_golden(const Golden& golden, const std::string& name, const at::Tensor& result, const NamedTensors& inputs,
                   double tolerance = 1e-5);

/// The batch of the golden whole networks: pieces and eos of three sentences.
std::vector<std::vector<std::int32_t>> golden_sources();
std::vector<std::vector<std::int32_t>> golden_targets();
/// Returns the log-probabilities [N, V] of that batch, at the positions of the targets.
at::Tensor log_probabilities(EncoderDecoder& model, const Pass& pass);

/// The passes that lead through the fused and the plain attention, by name.
std::map<std::string, Pass> both_paths();

}  // namespace gloss
