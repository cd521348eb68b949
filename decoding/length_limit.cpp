#include "decoding/length_limit.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace gloss {

std::int64_t length_limit(const DecodingConfig& config, const Scorer& scorer) {
  config.validate();
  const auto limit = scorer.max_target_length();
  require(config.max_length <= limit || config.min_length < limit, "decoding.min_length",
          "less than the " + std::to_string(limit) + " tokens that this model can generate", config.min_length);
  return std::min(config.max_length, limit);
}

std::int64_t relative_limit(const DecodingConfig& config, std::int64_t source_length) {
  return static_cast<std::int64_t>(std::ceil(config.max_length_factor * static_cast<double>(source_length)));
}

std::vector<std::int64_t> length_limits(const DecodingConfig& config, const Scorer& scorer,
                                        std::span<const std::int64_t> source_lengths, std::span<const Ids> prefixes) {
  std::vector<std::int64_t> limits(source_lengths.size(), length_limit(config, scorer));
  for (std::size_t b = 0; b < limits.size(); ++b) {
    if (config.max_length_factor > 0) {
      const auto relative = relative_limit(config, source_lengths[b]);
      limits[b] = std::min(limits[b], std::max(relative, config.min_length + 1));
    }
    if (!prefixes.empty())
      limits[b] = std::min(std::max(limits[b], std::ssize(prefixes[b])), scorer.max_target_length());
  }
  return limits;
}

}  // namespace gloss
