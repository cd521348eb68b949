#include "alignment/diagonal_prior.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gloss {
namespace {

constexpr int kAscents = 8;
constexpr double kStep = 20, kMinLambda = 0.1, kMaxLambda = 14;

double share(std::size_t part, std::size_t whole) { return static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

void DiagonalPrior::prepare(double lambda, std::size_t given, std::size_t emitted) {
  lambda_ = lambda;
  emitted_ = emitted;
  rising_.resize(given);
  falling_.resize(given);
  for (std::size_t g = 0; g < given; ++g) {
    rising_[g] = std::exp(lambda * share(g + 1, given));
    falling_[g] = 1 / rising_[g];
  }
}

void DiagonalPrior::write(std::size_t e, double mass, double* probabilities) const {
  const std::size_t given = rising_.size(), split = (e + 1) * given / emitted_;  // g/N <= e/M up to here
  const double above = std::exp(lambda_ * share(e + 1, emitted_)), below = 1 / above;
  for (std::size_t g = 0; g < split; ++g) probabilities[g] = below * rising_[g];
  for (std::size_t g = split; g < given; ++g) probabilities[g] = above * falling_[g];
  const double scale = mass / std::accumulate(probabilities, probabilities + given, 0.0);
  for (std::size_t g = 0; g < given; ++g) probabilities[g] *= scale;
}

double optimized_lambda(double lambda, double mean_distance, const SizeCounts& sizes, double words) {
  DiagonalPrior prior;
  std::vector<double> probabilities;
  for (int step = 0; step < kAscents; ++step) {
    double expected = 0;
    for (const auto& [size, count] : sizes) {
      const auto [given, emitted] = size;
      prior.prepare(lambda, given, emitted);
      probabilities.resize(given);
      for (std::size_t e = 0; e < emitted; ++e) {
        prior.write(e, static_cast<double>(count), probabilities.data());
        for (std::size_t g = 0; g < given; ++g)
          expected += probabilities[g] * std::abs(share(g + 1, given) - share(e + 1, emitted));
      }
    }
    lambda = std::clamp(lambda + kStep * (expected / words - mean_distance), kMinLambda, kMaxLambda);
  }
  return lambda;
}

}  // namespace gloss
