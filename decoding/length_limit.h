#pragma once

#include <cstdint>

#include "decoding/decoding_config.h"
#include "decoding/scorer.h"

namespace gloss {

/// The most tokens of a target, eos included, that a search goes through: config.max_length, or the scorer's limit
/// where that is lower. Throws UsageError as config.validate, and where the scorer's limit would end every hypothesis
/// before min_length allows an eos.
std::int64_t length_limit(const DecodingConfig& config, const Scorer& scorer);

}  // namespace gloss
