#include "evaluation/bleu/bleu_score.h"

#include <algorithm>
#include <cmath>

namespace gloss {
namespace {

double brevity_penalty(double hypothesis_length, double reference_length) {
  if (hypothesis_length >= reference_length) return 1;
  if (hypothesis_length == 0) return 0;
  return std::exp(1 - reference_length / hypothesis_length);
}

/// Computes the n-gram precisions in the arithmetic of `Number`, and the number of orders that count.
template <typename Number>
std::int64_t fill_precisions(const BleuOptions& options, std::span<const double> matches,
                             std::span<const double> totals, BleuNumbers numbers, std::vector<double>& precisions) {
  const double value = options.smoothing_value_in_use();
  const auto increased = [&](Number count) {
    const Number sum = count + static_cast<Number>(value);
    return numbers == BleuNumbers::kNumpyInt64 ? std::trunc(sum) : sum;
  };
  double divisor = 1;
  auto effective_order = options.max_order;
  for (std::size_t n = 0; n < precisions.size(); ++n) {
    auto match = static_cast<Number>(matches[n]), total = static_cast<Number>(totals[n]);
    if (options.smoothing == BleuSmoothing::kAddK && n > 0) {
      match = increased(match);
      total = increased(total);
    }
    if (total == 0) break;
    if (options.effective_order) effective_order = static_cast<std::int64_t>(n) + 1;
    if (match != 0) {
      precisions[n] = Number{100} * match / total;
    } else if (options.smoothing == BleuSmoothing::kExp) {
      precisions[n] = Number{100} / (static_cast<Number>(divisor *= 2) * total);
    } else if (options.smoothing == BleuSmoothing::kFloor) {
      precisions[n] = static_cast<Number>(100 * value) / total;
    }
  }
  return effective_order;
}

/// Returns the logarithm, with sacreBLEU's substitute for the logarithm of 0.
double finite_log(double precision) { return precision == 0 ? -9999999999.0 : std::log(precision); }

}  // namespace

BleuScore bleu_score(const BleuOptions& options, std::span<const double> sums, BleuNumbers numbers) {
  const auto orders = static_cast<std::size_t>(options.max_order);
  const auto matches = sums.subspan(2, orders), totals = sums.subspan(2 + orders, orders);
  BleuScore bleu{0, std::vector<double>(orders), brevity_penalty(sums[0], sums[1])};
  if (std::ranges::all_of(matches, [](double count) { return count == 0; })) return bleu;
  const auto effective_order = numbers == BleuNumbers::kNumpyFloat32
                                   ? fill_precisions<float>(options, matches, totals, numbers, bleu.precisions)
                                   : fill_precisions<double>(options, matches, totals, numbers, bleu.precisions);
  double sum = 0;
  for (std::int64_t n = 0; n < effective_order; ++n) sum += finite_log(bleu.precisions[static_cast<std::size_t>(n)]);
  bleu.score = bleu.brevity_penalty * std::exp(sum / static_cast<double>(effective_order));
  return bleu;
}

}  // namespace gloss
