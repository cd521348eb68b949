#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace gloss {

/// NumPy's PCG64 (O'Neill 2014, "PCG", XSL-RR 128/64), equal to numpy.random.default_rng(seed) with SeedSequence. A
/// copy continues with the same numbers as the original.
class Pcg64 {
 public:
  /// `seed`: an integer as 32-bit words, lowest first; empty is 0.
  explicit Pcg64(std::span<const std::uint32_t> seed);

  std::uint64_t next64();
  /// Returns the lower half of a 64-bit number, then its upper half.
  std::uint32_t next32();
  /// Returns an integer below `bound`, by Lemire's method with rejection: an element of integers(bound) or
  /// choice(bound). A bound of 1 draws no number.
  std::uint32_t below(std::uint32_t bound);
  /// Skips `draws` calls of next32.
  void skip32(std::uint64_t draws);

 private:
  __extension__ using Wide = unsigned __int128;

  void step();
  void advance(std::uint64_t steps);

  Wide state_ = 0, increment_ = 0;
  std::optional<std::uint32_t> upper_;  // the half that next32 has not returned yet
};

/// Returns the mean of nonnegative numbers, rounded once: the double nearest to the exact mean, as Python's
/// statistics.mean(). `numbers`: finite, at least one.
double exact_mean(std::span<const double> numbers);

/// Returns numpy.mean(): the sum in NumPy's order, divided by the count. The sum is pairwise over blocks of at most 128
/// numbers with eight partial sums each, with every addition in the precision of `Number`, float or double.
template <typename Number>
Number numpy_mean(std::span<const Number> numbers);

}  // namespace gloss
