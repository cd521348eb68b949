#include "alignment/diagonal_prior.h"

#include <algorithm>
#include <cmath>

namespace gloss {
namespace {

constexpr int kAscents = 8;
constexpr double kStep = 20;
constexpr double kMinLambda = 0.1, kMaxLambda = 14;

}  // namespace

void DiagonalPrior::prepare(double lambda, std::size_t given, std::size_t emitted) {
  lambda_ = lambda;
  given_ = given;
  emitted_ = emitted;
  for (auto* values : {&rising_, &falling_, &sum_rising_, &sum_falling_, &moment_rising_, &moment_falling_})
    values->assign(given + 1, 0);
  for (std::size_t g = 1; g <= given; ++g) {
    const double place = static_cast<double>(g) / static_cast<double>(given);
    rising_[g] = std::exp(lambda * place);
    falling_[g] = 1 / rising_[g];
    sum_rising_[g] = sum_rising_[g - 1] + rising_[g];
    moment_rising_[g] = moment_rising_[g - 1] + rising_[g] * place;
  }
  for (std::size_t g = given; g > 0; --g) {
    sum_falling_[g - 1] = sum_falling_[g] + falling_[g];
    moment_falling_[g - 1] = moment_falling_[g] + falling_[g] * static_cast<double>(g) / static_cast<double>(given);
  }
}

DiagonalPrior::Sides DiagonalPrior::sides(std::size_t e) const {
  const std::size_t split = (e + 1) * given_ / emitted_;
  const double factor = std::exp(lambda_ * static_cast<double>(e + 1) / static_cast<double>(emitted_));
  return {1 / factor, factor, split};
}

void DiagonalPrior::write(std::size_t e, double mass, double* probabilities) const {
  auto [below, above, split] = sides(e);
  const double scale = mass / (below * sum_rising_[split] + above * sum_falling_[split]);
  below *= scale;
  above *= scale;
  const double* const rising = rising_.data() + 1;
  const double* const falling = falling_.data() + 1;
  for (std::size_t g = 0; g < split; ++g) probabilities[g] = below * rising[g];
  for (std::size_t g = split; g < given_; ++g) probabilities[g] = above * falling[g];
}

double DiagonalPrior::mean_distance(std::size_t e) const {
  const auto [below, above, split] = sides(e);
  const double place = static_cast<double>(e + 1) / static_cast<double>(emitted_);
  const double lower = below * sum_rising_[split], upper = above * sum_falling_[split];
  const double lower_moment = below * moment_rising_[split], upper_moment = above * moment_falling_[split];
  return (place * (lower - upper) - lower_moment + upper_moment) / (lower + upper);
}

double optimized_lambda(double lambda, double mean_distance, const SizeCounts& sizes, double words) {
  DiagonalPrior prior;
  for (int step = 0; step < kAscents; ++step) {
    double expected = 0;
    for (const auto& [size, count] : sizes) {
      prior.prepare(lambda, size.first, size.second);
      double sum = 0;
      for (std::size_t e = 0; e < size.second; ++e) sum += prior.mean_distance(e);
      expected += sum * static_cast<double>(count);
    }
    lambda = std::clamp(lambda + kStep * (expected / words - mean_distance), kMinLambda, kMaxLambda);
  }
  return lambda;
}

}  // namespace gloss
