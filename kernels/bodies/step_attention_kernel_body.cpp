// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

inline float dot(const float* a, const float* b, std::int64_t width) {
  const std::int64_t whole = width / kFloats * kFloats;
  Floats sums = broadcast(0);
  for (std::int64_t j = 0; j < whole; j += kFloats) sums += load(a + j) * load(b + j);
  float sum = sum_of(sums);
  for (std::int64_t j = whole; j < width; ++j) sum += a[j] * b[j];
  return sum;
}

inline void softmax(float* row, std::int64_t count) {
  const std::int64_t padded = step_attention_row(count);
  for (std::int64_t e = count; e < padded; ++e) row[e] = -1e30F;
  Floats maxima = load(row);
  for (std::int64_t e = kFloats; e < padded; e += kFloats) maxima = max_of(maxima, load(row + e));
  const float max_score = max_of(maxima);
  Floats sums = broadcast(0);
  for (std::int64_t e = 0; e < padded; e += kFloats) {
    const Floats part = exp_of_negative(load(row + e) - max_score);
    store(row + e, part);
    sums += part;
  }
  const float inverse = 1 / sum_of(sums);
  for (std::int64_t e = 0; e < padded; e += kFloats) store(row + e, load(row + e) * inverse);
}

// Computes the weighted sum of all entries' values, kVectors vectors wide, at `offset` within an entry.
template <int kVectors>
inline void weighted_sum(const StepAttention& attention, const float* weights, std::int64_t offset, float* out) {
  Floats sums[kVectors] = {};
  for (std::int64_t e = 0; e < attention.count; ++e) {
    const float* const value = attention.entries[e] + offset;
#pragma GCC unroll 4
    for (int v = 0; v < kVectors; ++v) sums[v] += weights[e] * load(value + v * kFloats);
  }
#pragma GCC unroll 4
  for (int v = 0; v < kVectors; ++v) store(out + v * kFloats, sums[v]);
}

}  // namespace

void step_attention(const StepAttention& attention) {
  const std::int64_t d_k = attention.d_k, row = step_attention_row(attention.count);
  const float scale = 1 / __builtin_sqrtf(static_cast<float>(d_k));
  for (std::int64_t e = 0; e < attention.count; ++e) {
    const float* const key = attention.entries[e] + attention.key;
    for (std::int64_t h = 0; h < attention.heads; ++h)
      attention.weights[h * row + e] = dot(attention.query + h * d_k, key + h * d_k, d_k) * scale;
  }
  for (std::int64_t h = 0; h < attention.heads; ++h) {
    float* const weights = attention.weights + h * row;
    softmax(weights, attention.count);
    const std::int64_t offset = attention.value + h * d_k;
    float* const out = attention.out + h * d_k;
    std::int64_t j = 0;
    for (; j + 4 * kFloats <= d_k; j += 4 * kFloats) weighted_sum<4>(attention, weights, offset + j, out + j);
    for (; j + 2 * kFloats <= d_k; j += 2 * kFloats) weighted_sum<2>(attention, weights, offset + j, out + j);
    for (; j + kFloats <= d_k; j += kFloats) weighted_sum<1>(attention, weights, offset + j, out + j);
    for (; j < d_k; ++j) {
      float sum = 0;
      for (std::int64_t e = 0; e < attention.count; ++e) sum += weights[e] * attention.entries[e][offset + j];
      out[j] = sum;
    }
  }
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
