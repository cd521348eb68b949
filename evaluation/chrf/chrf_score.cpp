#include "evaluation/chrf/chrf_score.h"

#include <cstddef>

namespace gloss {
namespace {

double number_of(double number) { return number; }
double number_of(NumpyScalar number) { return number.value; }

/// Computes the formula in `Number` arithmetic from counts of type `Count`. With precision P and recall R of each
/// order: (1 + beta^2) P R / (beta^2 P + R) of the averages, or with epsilon smoothing the average of this value.
template <typename Number, typename Count>
Number f_beta(std::span<const Count> sums, const ChrfOptions& options) {
  const Number epsilon = 1e-16, percent = 100.0;
  const auto beta_squared = static_cast<double>(options.beta * options.beta);
  const Number factor = beta_squared, factor_and_one = 1 + beta_squared;
  Number score = 0.0, precisions = 0.0, recalls = 0.0;
  double effective_orders = 0;
  for (std::size_t i = 0; i + 2 < sums.size(); i += 3) {
    const Count hypothesis = sums[i], reference = sums[i + 1];
    const Number matches = sums[i + 2];
    const Number precision = hypothesis > 0 ? matches / Number(hypothesis) : epsilon;
    const Number recall = reference > 0 ? matches / Number(reference) : epsilon;
    const Number denominator = factor * precision + recall;
    score = score + (number_of(denominator) > 0 ? factor_and_one * precision * recall / denominator : epsilon);
    if (hypothesis > 0 && reference > 0) {
      precisions = precisions + precision;
      recalls = recalls + recall;
      ++effective_orders;
    }
  }
  if (options.eps_smoothing)
    return percent * score / Number(static_cast<double>(options.char_order + options.word_order));
  if (effective_orders == 0) return 0.0;
  const Number precision = precisions / Number(effective_orders), recall = recalls / Number(effective_orders);
  if (number_of(precision + recall) == 0) return 0.0;
  return percent * (factor_and_one * precision * recall / (factor * precision + recall));
}

}  // namespace

double chrf_score(std::span<const double> sums, const ChrfOptions& options) { return f_beta<double>(sums, options); }

NumpyScalar chrf_score(std::span<const float> sums, const ChrfOptions& options) {
  return f_beta<NumpyScalar>(sums, options);
}

}  // namespace gloss
