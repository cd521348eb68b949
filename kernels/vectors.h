#pragma once

// For the bodies alone, which are compiled once for each instruction set: vectors as wide as the set has them. Uses
// nothing that has code of its own: an inline function compiled for AVX-512 could be the one that the linker keeps for
// all sets.
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
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
constexpr int kFloats = kBytes / 4;  // in a vector

using Floats = float __attribute__((vector_size(kBytes)));
using Words = std::uint32_t __attribute__((vector_size(kBytes)));
using Integers = std::int32_t __attribute__((vector_size(kBytes)));
using Wide = std::uint64_t __attribute__((vector_size(kBytes)));

inline Floats load(const float* from) {
  Floats x;
  __builtin_memcpy(&x, from, sizeof x);
  return x;
}

inline void store(float* to, Floats x) { __builtin_memcpy(to, &x, sizeof x); }

inline Floats spread(float x) { return Floats{} + x; }

/// 0, 1, 2, ...
inline Integers lanes() {
  Integers result{};
  for (int i = 0; i < kFloats; ++i) result[i] = i;
  return result;
}

/// x where `keep` has all bits set, else 0.
inline Floats keep_where(Integers keep, Floats x) { return (Floats)((Integers)x & keep); }

inline Floats max_of(Floats a, Floats b) { return a > b ? a : b; }

/// Lane i holds what lane i ^ `distance` held.
inline Floats swapped(Floats x, int distance) { return __builtin_shuffle(x, lanes() ^ distance); }

inline float sum_of(Floats x) {
#pragma GCC unroll 4
  for (int distance = kFloats / 2; distance > 0; distance /= 2) x += swapped(x, distance);
  return x[0];
}

inline float max_of(Floats x) {
#pragma GCC unroll 4
  for (int distance = kFloats / 2; distance > 0; distance /= 2) x = max_of(x, swapped(x, distance));
  return x[0];
}

/// A square as high as a vector is wide: blocks of 1, 2, 4, ... lanes change places across the
/// diagonal.
inline void transpose_square(const float* in, std::int64_t in_stride, float* out, std::int64_t out_stride) {
  Floats rows[kFloats];
#pragma GCC unroll 16
  for (int i = 0; i < kFloats; ++i) rows[i] = load(in + i * in_stride);
#pragma GCC unroll 4
  for (int half = 1; half < kFloats; half *= 2) {
    Integers low{}, high{};
    for (int lane = 0; lane < kFloats; ++lane) {
      low[lane] = (lane & half) != 0 ? kFloats + lane - half : lane;
      high[lane] = (lane & half) != 0 ? kFloats + lane : lane + half;
    }
#pragma GCC unroll 16
    for (int i = 0; i < kFloats; ++i) {
      if ((i & half) != 0) continue;
      const Floats a = rows[i], b = rows[i + half];
      rows[i] = __builtin_shuffle(a, b, low);
      rows[i + half] = __builtin_shuffle(a, b, high);
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < kFloats; ++i) store(out + i * out_stride, rows[i]);
}

/// e^x for x <= 0, to 2 units in the last place; 0 below -87.3, NaN where x is no finite number. Cody and Waite's
/// reduction to |r| <= ln 2 / 2, then the Taylor polynomial of degree 7, whose rest is below 2^-27 there.
inline Floats exp_of_negative(Floats x) {
  constexpr float kMagic = 0x1.8p23F;  // added, it rounds to a whole number, which then stands in the low bits
  const Integers alive = x > -87.3F;
  const Floats shifted = x * 0x1.715476p+0F + kMagic;
  const Integers power = (Integers)shifted - (Integers)spread(kMagic);
  const Floats n = shifted - kMagic;
  const Floats r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
  Floats p = spread(1 / 5040.0F);
  p = p * r + 1 / 720.0F;
  p = p * r + 1 / 120.0F;
  p = p * r + 1 / 24.0F;
  p = p * r + 1 / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  return keep_where(alive, (Floats)((Integers)p + (power << 23))) + (x - x);
}

}  // namespace
}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
