#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "decoding/decoding_config.h"

namespace gloss {

/// What a token is drawn from: the probabilities of the first so many of some logits, the others being cut off. Each of
/// these goes on with what the one before has left: temperature, top_k, top_p, renormalizing. top_p keeps the fewest
/// tokens that have that share, the one that reaches it among them. The logits stand best first where top_k or top_p
/// cuts, in any order else; one of -inf has no probability. Empty where none has.
std::vector<double> sampling_distribution(std::span<const float> logits, const SamplingConfig& config);

/// The place into which `share`, 0 <= share < 1, falls where probabilities that sum to 1 lie side by side.
std::size_t place_of_share(std::span<const double> probabilities, double share);

}  // namespace gloss
