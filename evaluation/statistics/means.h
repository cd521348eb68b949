#pragma once

#include <span>

namespace gloss {

/// Returns the mean of nonnegative numbers, rounded once: the double nearest to the exact mean, as Python's
/// statistics.mean(). `numbers`: finite, at least one.
double exact_mean(std::span<const double> numbers);

/// Returns numpy.mean(): the sum in NumPy's order, divided by the count. The sum is pairwise over blocks of at most 128
/// numbers with eight partial sums each, with every addition in the precision of `Number`, float or double.
template <typename Number>
Number numpy_mean(std::span<const Number> numbers);

}  // namespace gloss
