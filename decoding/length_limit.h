#pragma once

#include <cstdint>

#include "decoding/decoding_config.h"
#include "decoding/scorer.h"

namespace gloss {

/// Returns the maximum number of tokens of a target, eos included: config.max_length, or the scorer's limit if that is
/// less. Throws UsageError as config.validate, and if the scorer's limit ends every hypothesis before min_length.
std::int64_t length_limit(const DecodingConfig& config, const Scorer& scorer);

}  // namespace gloss
