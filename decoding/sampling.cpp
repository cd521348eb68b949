#include "decoding/sampling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace gloss {

std::vector<double> sampling_distribution(std::span<const float> logits, const SamplingConfig& config) {
  if (config.top_k > 0) logits = logits.first(std::min(logits.size(), static_cast<std::size_t>(config.top_k)));
  if (logits.empty()) return {};
  const double highest = *std::ranges::max_element(logits);
  if (highest == -std::numeric_limits<double>::infinity()) return {};

  std::vector<double> probabilities;
  probabilities.reserve(logits.size());
  for (const double logit : logits) probabilities.push_back(std::exp((logit - highest) / config.temperature));
  auto total = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  if (config.top_p < 1) {
    const auto wanted = config.top_p * total;
    std::size_t kept = 0;
    for (total = 0; kept < probabilities.size() && total < wanted; ++kept) total += probabilities[kept];
    probabilities.resize(kept);
  }
  for (auto& probability : probabilities) probability /= total;
  return probabilities;
}

std::size_t index_of_share(std::span<const double> probabilities, double share) {
  double passed = 0;
  std::size_t last = 0;  // with a probability: rounding may leave a little after it
  for (std::size_t index = 0; index < probabilities.size(); ++index) {
    if (!(probabilities[index] > 0)) continue;
    last = index;
    passed += probabilities[index];
    if (share < passed) break;
  }
  return last;
}

}  // namespace gloss
