#pragma once

// Vectors of the instruction set's width. Included by the bodies only, which are compiled once for each set. No
// standard function is called here: the linker could keep a copy compiled for AVX-512 for all sets.
#include <cstdint>
#include <type_traits>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

#if defined(__AVX512F__)
constexpr int kBytes = 64;
#elif defined(__AVX2__)
constexpr int kBytes = 32;
#else
constexpr int kBytes = 16;
#endif
constexpr int kFloats = kBytes / 4;  // floats per vector

using Floats = float __attribute__((vector_size(kBytes)));
using Words = std::uint32_t __attribute__((vector_size(kBytes)));
using Shorts = std::int16_t __attribute__((vector_size(kBytes)));
using Integers = std::int32_t __attribute__((vector_size(kBytes)));
using Unsigned = std::uint32_t __attribute__((vector_size(kBytes)));
using Wide = std::uint64_t __attribute__((vector_size(kBytes)));

inline Floats load(const float* from) {
  Floats x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

inline void store(float* to, Floats x) { __builtin_memcpy(to, &x, sizeof x); }

inline Floats broadcast(float x) { return Floats{} + x; }

/// Returns 0, 1, 2, ...
inline Integers lanes() {
  Integers result{};
  for (int i = 0; i < kFloats; ++i) result[i] = i;
  return result;
}

/// Returns x in the lanes in which `keep` has all bits set, else 0.
inline Floats keep_where(Integers keep, Floats x) { return (Floats)((Integers)x & keep); }

inline Floats max_of(Floats a, Floats b) { return a > b ? a : b; }

/// Returns x rounded to bfloat16. A NaN keeps a mantissa bit, so that rounding cannot turn it into infinity.
inline std::uint32_t bfloat16_bits(float x) {
  const auto bits = __builtin_bit_cast(std::uint32_t, x);
  const std::uint32_t nearest = bits + 0x7FFF + (bits >> 16 & 1);
  return ((bits & 0x7FFFFFFF) > 0x7F800000 ? bits | 0x00400000 : nearest) >> 16;
}

using Lanes = std::make_integer_sequence<int, kFloats>;

template <int kDistance, int... kLane>
inline Floats swapped(Floats x, std::integer_sequence<int, kLane...>) {
  return __builtin_shufflevector(x, x, (kLane ^ kDistance)...);
}
/// Returns x with exchanged lanes: lane i of the result is lane i ^ kDistance of x.
template <int kDistance>
inline Floats swapped(Floats x) {
  return swapped<kDistance>(x, Lanes{});
}

template <int kDistance = kFloats / 2>
inline float sum_of(Floats x) {
  x += swapped<kDistance>(x);
  if constexpr (kDistance > 1)
    return sum_of<kDistance / 2>(x);
  else
    return x[0];
}

template <int kDistance = kFloats / 2>
inline float max_of(Floats x) {
  x = max_of(x, swapped<kDistance>(x));
  if constexpr (kDistance > 1)
    return max_of<kDistance / 2>(x);
  else
    return x[0];
}

template <int kHalf, int... kLane>
inline void exchange_blocks(Floats& a, Floats& b, std::integer_sequence<int, kLane...>) {
  const Floats upper = a, lower = b;
  a = __builtin_shufflevector(upper, lower, ((kLane & kHalf) != 0 ? kFloats + kLane - kHalf : kLane)...);
  b = __builtin_shufflevector(upper, lower, ((kLane & kHalf) != 0 ? kFloats + kLane : kLane + kHalf)...);
}

/// Exchanges the off-diagonal blocks of kHalf lanes, and then those of 2 kHalf, 4 kHalf, ... lanes.
template <int kHalf = 1>
inline void transpose_blocks(Floats (&rows)[kFloats]) {
#pragma GCC unroll 16
  for (int i = 0; i < kFloats; ++i) {
    if ((i & kHalf) == 0) exchange_blocks<kHalf>(rows[i], rows[i + kHalf], Lanes{});
  }
  if constexpr (2 * kHalf < kFloats) transpose_blocks<2 * kHalf>(rows);
}

/// Transposes a square of kFloats rows and columns, by exchanging blocks of 1, 2, 4, ... lanes across the diagonal.
inline void transpose_square(const float* in, std::int64_t in_stride, float* out, std::int64_t out_stride) {
  Floats rows[kFloats];
#pragma GCC unroll 16
  for (int i = 0; i < kFloats; ++i) rows[i] = load(in + i * in_stride);
  transpose_blocks(rows);
#pragma GCC unroll 16
  for (int i = 0; i < kFloats; ++i) store(out + i * out_stride, rows[i]);
}

/// Returns e^x for x <= 0, to 2 units in the last place; 0 below -87.3; NaN if x is NaN or infinite. Range reduction by
/// Cody and Waite to |r| <= ln 2 / 2, then the Taylor polynomial of degree 7, whose remainder is below 2^-27 there.
inline Floats exp_of_negative(Floats x) {
  constexpr float kMagic = 0x1.8p23F;  // adding it rounds to an integer, which is then in the low bits
  const Integers nonzero = x > -87.3F;
  const Floats shifted = x * 0x1.715476p+0F + kMagic;
  const Unsigned power = (Unsigned)shifted - (Unsigned)broadcast(kMagic);  // wraps around: a hidden x may be -1e30
  const Floats n = shifted - kMagic;
  const Floats r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
  Floats p = broadcast(1 / 5040.0F);
  p = p * r + 1 / 720.0F;
  p = p * r + 1 / 120.0F;
  p = p * r + 1 / 24.0F;
  p = p * r + 1 / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  return keep_where(nonzero, (Floats)((Unsigned)p + (power << 23))) + (x - x);
}

}  // namespace
}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
