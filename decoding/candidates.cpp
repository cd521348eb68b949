#include "decoding/candidates.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "common/error.h"

namespace gloss {
namespace {

constexpr double kMinusInfinity = -std::numeric_limits<double>::infinity();

bool better(const Candidate& a, const Candidate& b) {
  if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
  return a.row != b.row ? a.row < b.row : a.id < b.id;
}

/// Keeps the best `count`, in order.
void keep_best(std::vector<Candidate>& candidates, std::int64_t count) {
  const auto kept = std::min(std::ssize(candidates), count);
  std::partial_sort(candidates.begin(), candidates.begin() + kept, candidates.end(), better);
  candidates.resize(kept);
}

}  // namespace

double log_probability_offset(double log_probability, double log_normalizer) {
  if (std::isnan(log_normalizer) || log_normalizer == -kMinusInfinity)
    throw ModelError("scorer: wanted a finite log-normalizer, got " + std::to_string(log_normalizer) +
                     "; the weights are damaged or too large for this precision");
  return log_normalizer == kMinusInfinity ? kMinusInfinity : log_probability - log_normalizer;
}

std::vector<std::vector<Candidate>> best_candidates(const TopTokens& top, std::span<const double> log_probabilities,
                                                    std::int64_t sentences, std::int64_t count) {
  const auto K = std::ssize(log_probabilities) / sentences;
  std::vector<std::vector<Candidate>> result(sentences);
  for (std::int64_t b = 0; b < sentences; ++b) {
    auto& candidates = result[b];
    for (std::int64_t k = 0; k < K; ++k) {
      const auto row = b * K + k;
      const auto offset = log_probability_offset(log_probabilities[row], top.log_normalizers[row]);
      for (auto index = row * top.width; index < (row + 1) * top.width; ++index) {
        const auto logit = static_cast<double>(top.logits[index]);
        const auto log_probability = offset + logit;
        if (!(log_probability > kMinusInfinity)) break;
        candidates.push_back({k, top.ids[index], log_probability, 0, logit - top.log_normalizers[row]});
      }
    }
    keep_best(candidates, count);
  }
  return result;
}

}  // namespace gloss
