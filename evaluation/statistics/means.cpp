#include "evaluation/statistics/means.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gloss {
namespace {

__extension__ using Wide = unsigned __int128;

/// A nonnegative binary number, lowest word first; bit 0 is 2^kLowest. Large enough for every double and 2^64 times as
/// much.
constexpr int kLowest = -1074 - 64;
constexpr int kMantissaBits = 53;
using Digits = std::array<std::uint64_t, 36>;

void add(Digits& sum, double number) {
  int exponent = 0;
  const double fraction = std::frexp(number, &exponent);
  if (fraction == 0) return;
  // Decomposes into an integer times a power of two; the bits lost below 2^-1074 are zeros.
  const int shift = std::max(exponent - kMantissaBits, -1074) - kLowest;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(number, -(shift + kLowest)));
  auto word = static_cast<std::size_t>(shift / 64);
  Wide carry = static_cast<Wide>(mantissa) << (shift % 64);
  for (; carry != 0; ++word) {
    carry += sum[word];
    sum[word] = static_cast<std::uint64_t>(carry);
    carry >>= 64;
  }
}

/// Divides the number in place and returns the remainder.
std::uint64_t divide(Digits& number, std::uint64_t divisor) {
  Wide rest = 0;
  for (std::size_t i = number.size(); i-- > 0;) {
    rest = rest << 64 | number[i];
    number[i] = static_cast<std::uint64_t>(rest / divisor);
    rest %= divisor;
  }
  return static_cast<std::uint64_t>(rest);
}

bool bit(const Digits& number, int position) {
  return number[static_cast<std::size_t>(position / 64)] >> (position % 64) & 1;
}

/// Returns the nearest double, rounding half to even. `more`: whether there are nonzero digits below bit 0.
double nearest_double(const Digits& number, bool more) {
  int top = 64 * static_cast<int>(number.size()) - 1;
  while (top >= 0 && !bit(number, top)) --top;
  if (top < 0) return 0;
  const int low = std::max(top - (kMantissaBits - 1), -1074 - kLowest);  // position of the last kept bit
  std::uint64_t mantissa = 0;
  for (int position = top; position >= low; --position) mantissa = mantissa << 1 | bit(number, position);
  for (int position = low - 2; position >= 0 && !more; --position) more = bit(number, position);
  if (bit(number, low - 1) && (more || mantissa % 2 == 1)) ++mantissa;
  return std::ldexp(static_cast<double>(mantissa), low + kLowest);
}

template <typename Number>
Number pairwise_sum(std::span<const Number> numbers) {
  const std::size_t n = numbers.size();
  if (n > 128) {
    const std::size_t half = n / 2 / 8 * 8;
    return pairwise_sum(numbers.first(half)) + pairwise_sum(numbers.subspan(half));
  }
  Number sum = 0;
  std::size_t i = 0;
  if (n >= 8) {
    std::array<Number, 8> r{};
    for (; i + 8 <= n; i += 8)
      for (std::size_t j = 0; j < 8; ++j) r[j] += numbers[i + j];
    sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
  }
  for (; i < n; ++i) sum += numbers[i];
  return sum;
}

}  // namespace

double exact_mean(std::span<const double> numbers) {
  Digits sum{};
  for (const double number : numbers) add(sum, number);
  const auto rest = divide(sum, numbers.size());
  return nearest_double(sum, rest != 0);
}

template <typename Number>
Number numpy_mean(std::span<const Number> numbers) {
  return static_cast<Number>(static_cast<double>(pairwise_sum(numbers)) / static_cast<double>(numbers.size()));
}

template float numpy_mean(std::span<const float>);
template double numpy_mean(std::span<const double>);

}  // namespace gloss
