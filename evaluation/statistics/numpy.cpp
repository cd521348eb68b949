#include "evaluation/statistics/numpy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gloss {
namespace {

using Pool = std::array<std::uint32_t, 4>;

/// The hash of SeedSequence (O'Neill 2015, "Developing a seed_seq alternative"); its constant changes with each value.
class SeedHash {
 public:
  SeedHash(std::uint32_t constant, std::uint32_t multiplier) : constant_(constant), multiplier_(multiplier) {}

  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= multiplier_;
    value *= constant_;
    return value ^ value >> 16;
  }

 private:
  std::uint32_t constant_, multiplier_;
};

std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mixed = 0xca01f9dd * a - 0x4973f715 * b;
  return mixed ^ mixed >> 16;
}

Pool entropy_pool(std::span<const std::uint32_t> entropy) {
  SeedHash hash(0x43b0d7e5, 0x931e8875);
  Pool pool{};
  for (std::size_t i = 0; i < pool.size(); ++i) pool[i] = hash(i < entropy.size() ? entropy[i] : 0);
  for (std::size_t from = 0; from < pool.size(); ++from)
    for (std::size_t to = 0; to < pool.size(); ++to)
      if (from != to) pool[to] = mix(pool[to], hash(pool[from]));
  for (std::size_t from = pool.size(); from < entropy.size(); ++from)
    for (auto& word : pool) word = mix(word, hash(entropy[from]));
  return pool;
}

/// Returns SeedSequence(entropy).generate_state(4, uint64).
std::array<std::uint64_t, 4> seed_state(std::span<const std::uint32_t> entropy) {
  const Pool pool = entropy_pool(entropy);
  SeedHash hash(0x8b51f9dd, 0x58f38ded);
  std::array<std::uint64_t, 4> state{};
  for (std::size_t i = 0; i < 2 * state.size(); ++i)
    state[i / 2] |= std::uint64_t{hash(pool[i % pool.size()])} << (32 * (i % 2));
  return state;
}

__extension__ constexpr unsigned __int128 kPcgMultiplier =
    static_cast<unsigned __int128>(0x2360ed051fc65da4) << 64 | 0x4385df649fccf645;

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

Pcg64::Pcg64(std::span<const std::uint32_t> seed) {
  const auto state = seed_state(seed);
  increment_ = (static_cast<Wide>(state[2]) << 64 | state[3]) << 1 | 1;
  step();
  state_ += static_cast<Wide>(state[0]) << 64 | state[1];
  step();
}

void Pcg64::step() { state_ = state_ * kPcgMultiplier + increment_; }

std::uint64_t Pcg64::next64() {
  step();
  const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

std::uint32_t Pcg64::next32() {
  if (upper_) {
    const auto half = *upper_;
    upper_.reset();
    return half;
  }
  const auto both = next64();
  upper_ = static_cast<std::uint32_t>(both >> 32);
  return static_cast<std::uint32_t>(both);
}

std::uint32_t Pcg64::below(std::uint32_t bound) {
  if (bound <= 1) return 0;
  std::uint64_t product = std::uint64_t{next32()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = -bound % bound;  // 2^32 modulo the bound
    while (static_cast<std::uint32_t>(product) < threshold) product = std::uint64_t{next32()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

void Pcg64::skip32(std::uint64_t draws) {
  if (draws > 0 && upper_) {
    upper_.reset();
    --draws;
  }
  advance(draws / 2);
  if (draws % 2 == 1) next32();
}

/// Advances the state (Brown 1994, "Random number generation with arbitrary strides").
void Pcg64::advance(std::uint64_t steps) {
  Wide multiplier = 1, addend = 0, step_multiplier = kPcgMultiplier, step_addend = increment_;
  for (; steps > 0; steps >>= 1) {
    if (steps & 1) {
      multiplier *= step_multiplier;
      addend = addend * step_multiplier + step_addend;
    }
    step_addend *= step_multiplier + 1;
    step_multiplier *= step_multiplier;
  }
  state_ = state_ * multiplier + addend;
}

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
