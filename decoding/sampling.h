#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoding/decoding_config.h"

namespace gloss {

/// Returns the probabilities with which tokens are drawn: those of the first logits; the others are cut off. Applies in
/// this order, each to the result of the previous: temperature, top_k, top_p, normalization. top_p keeps the fewest
/// tokens with that share, including the one that reaches it. The logits must be sorted, best first, if top_k or top_p
/// cuts; -inf has no probability. The result is empty if no token has a probability.
std::vector<double> sampling_distribution(std::span<const float> logits, const SamplingConfig& config);

/// Returns the index of the token whose part of the cumulative distribution contains `share`, 0 <= share < 1.
std::size_t index_of_share(std::span<const double> probabilities, double share);

}  // namespace gloss
