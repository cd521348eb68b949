#pragma once

// Random words of dropout masks, by Philox4x32-10. Included by the bodies only.
#include "kernels/bodies/vectors.h"
#include "kernels/dropout_kernel.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

#if defined(__AVX512F__)
constexpr int kVectors = 4;  // independent vectors, to hide the product's latency
#else
constexpr int kVectors = 2;
#endif
constexpr int kBlocks = kBytes / 8;             // blocks of four words in a vector: a lane's low half holds one word of
                                                // a block
constexpr int kChunk = 4 * kBlocks * kVectors;  // words per call of random_words

// Returns the low 32 bits of each lane of x times `factor`, 64 bits each.
inline Wide multiply(Wide x, std::uint64_t factor) {
#if defined(__AVX512F__)
  // The masked form is used because GCC 12 warns about its own _mm512_mul_epu32.
  return (Wide)_mm512_maskz_mul_epu32(0xFF, (__m512i)x, _mm512_set1_epi64(static_cast<long long>(factor)));
#elif defined(__AVX2__)
  return (Wide)_mm256_mul_epu32((__m256i)x, _mm256_set1_epi64x(static_cast<long long>(factor)));
#elif defined(__SSE2__)
  return (Wide)_mm_mul_epu32((__m128i)x, _mm_set1_epi64x(static_cast<long long>(factor)));
#elif defined(__ARM_NEON)
  return (Wide)vmull_n_u32(vmovn_u64((uint64x2_t)x), static_cast<std::uint32_t>(factor));
#else
  return (x & 0xFFFFFFFFU) * factor;
#endif
}

// Interleaves two vectors: a0 b0 a1 b1 ..., in two halves.
inline void interleave(Wide a, Wide b, Wide& low, Wide& high) {
#if defined(__AVX512F__)
  low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#elif defined(__AVX2__)
  low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
  high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
#else
  low = __builtin_shufflevector(a, b, 0, 2);
  high = __builtin_shufflevector(a, b, 1, 3);
#endif
}

// Computes the random words of kChunk elements, from block `block` on (common/random.h), in the order of the elements.
inline void random_words(std::uint64_t block, const DropoutMask& mask, Words words[2 * kVectors]) {
  constexpr std::uint64_t kLow = 0xFFFFFFFF;
  Wide c0[kVectors], c1[kVectors], c2[kVectors], c3[kVectors];
  for (int v = 0; v < kVectors; ++v) {
    Wide index;
    for (int lane = 0; lane < kBlocks; ++lane) index[lane] = block + static_cast<std::uint64_t>(v * kBlocks + lane);
    c0[v] = index;
    c1[v] = index >> 32;
    c2[v] = Wide{} + mask.update;
    c3[v] = Wide{} + mask.shard;
  }
  std::uint32_t k0 = mask.key[0], k1 = mask.key[1];
  for (int round = 0; round < 10; ++round) {
    for (int v = 0; v < kVectors; ++v) {
      const Wide a = multiply(c0[v], 0xD2511F53), b = multiply(c2[v], 0xCD9E8D57);
      c0[v] = (b >> 32) ^ c1[v] ^ k0;
      c2[v] = (a >> 32) ^ c3[v] ^ k1;
      c1[v] = b;
      c3[v] = a;
    }
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  for (int v = 0; v < kVectors; ++v) {
    Wide low, high;
    interleave((c0[v] & kLow) | (c1[v] << 32), (c2[v] & kLow) | (c3[v] << 32), low, high);
    words[2 * v] = (Words)low;
    words[2 * v + 1] = (Words)high;
  }
}

}  // namespace
}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
