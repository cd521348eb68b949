#include "decoding/length_limit.h"

#include <algorithm>
#include <string>

namespace gloss {

std::int64_t length_limit(const DecodingConfig& config, const Scorer& scorer) {
  config.validate();
  const auto most = scorer.max_target_length();
  require(config.max_length <= most || config.min_length < most, "decoding.min_length",
          "less than the " + std::to_string(most) + " tokens that this model can say", config.min_length);
  return std::min(config.max_length, most);
}

}  // namespace gloss
