#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/special_ids.h"
#include "decoding/decoding_config.h"
#include "decoding/scorer.h"

namespace gloss {

/// Returns the maximum number of tokens of a target, eos included: config.max_length, or the scorer's limit if that is
/// less. Throws UsageError as config.validate, and if the scorer's limit ends every hypothesis before min_length.
std::int64_t length_limit(const DecodingConfig& config, const Scorer& scorer);

/// Returns the limit that max_length_factor sets for a source of this length in tokens, eos among them.
std::int64_t relative_limit(const DecodingConfig& config, std::int64_t source_length);

/// Returns the limit of each sentence: length_limit, or less by max_length_factor, which counts the source's tokens,
/// eos included, and leaves room for min_length and eos. A prefix is never cut, except by the scorer's limit.
/// `prefixes` [B] or empty. Throws as length_limit.
std::vector<std::int64_t> length_limits(const DecodingConfig& config, const Scorer& scorer,
                                        std::span<const std::int64_t> source_lengths, std::span<const Ids> prefixes);

}  // namespace gloss
