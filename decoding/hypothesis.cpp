#include "decoding/hypothesis.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gloss {

double length_normalised(double log_probability, std::int64_t length, const DecodingConfig& config) {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(length, 1));
  const double base = config.length_penalty_kind == LengthPenaltyKind::kPower ? tokens : (5 + tokens) / 6;
  return log_probability / std::pow(base, config.length_penalty);
}

Hypothesis make_hypothesis(Ids ids, double log_probability, bool ended, const DecodingConfig& config) {
  const auto length = static_cast<std::int64_t>(ids.size()) + (ended ? 1 : 0);
  return {std::move(ids), log_probability, length_normalised(log_probability, length, config), ended};
}

}  // namespace gloss
