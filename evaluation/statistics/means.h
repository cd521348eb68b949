#pragma once

#include <span>

namespace gloss {

/// The mean of numbers from 0, rounded once: the double nearest to the exact mean, as Python's statistics.mean() has
/// it. `numbers`: finite, at least one.
double exact_mean(std::span<const double> numbers);

/// The sum in NumPy's order, pairs of blocks of at most 128 numbers, eight partial sums in each; each addition in the
/// precision of `Number`, float or double. Divided by the count: numpy.mean().
template <typename Number>
Number numpy_mean(std::span<const Number> numbers);

}  // namespace gloss
