#include "decoding/length_limit.h"

#include <algorithm>
#include <string>

namespace gloss {

std::int64_t length_limit(const DecodingConfig& config, const Scorer& scorer) {
  config.validate();
  const auto limit = scorer.max_target_length();
  require(config.max_length <= limit || config.min_length < limit, "decoding.min_length",
          "less than the " + std::to_string(limit) + " tokens that this model can generate", config.min_length);
  return std::min(config.max_length, limit);
}

}  // namespace gloss
