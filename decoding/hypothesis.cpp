#include "decoding/hypothesis.h"

#include <algorithm>
#include <cmath>

namespace gloss {
namespace {

constexpr double kMinAttention = 1e-10;  // keeps the logarithm finite

}  // namespace

double length_normalized(double log_probability, std::int64_t length, const DecodingConfig& config) {
  const auto tokens = static_cast<double>(std::max<std::int64_t>(length, 1));
  const double base = config.length_penalty_kind == LengthPenaltyKind::kPower ? tokens : (5 + tokens) / 6;
  return log_probability / std::pow(base, config.length_penalty);
}

double coverage_score(std::span<const float> coverage, const DecodingConfig& config) {
  double sum = 0;
  for (const double attention : coverage) sum += std::log(std::clamp(attention, kMinAttention, 1.0));
  return config.coverage_penalty * sum;
}

double score_of(const Hypothesis& hypothesis, const DecodingConfig& config, std::span<const float> coverage) {
  return length_normalized(hypothesis.log_probability, hypothesis.length(), config) + coverage_score(coverage, config);
}

}  // namespace gloss
