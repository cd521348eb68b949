// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

using Doubles = double __attribute__((vector_size(kBytes)));
using Halves = float __attribute__((vector_size(kBytes / 2)));  // as many elements as Doubles

constexpr int kDoubles = kBytes / 8;
constexpr int kAccumulators = 4;  // independent sums, to hide the addition's latency

// A plain loop that the compiler vectorizes. Square roots are vectorized with -fno-math-errno only.
template <bool kEma>
inline void update(const AdamSpan& span, const AdamNumbers& numbers) {
  float* __restrict const parameter = span.parameter;
  const float* __restrict const gradient = span.gradient;
  float* __restrict const m = span.m;
  float* __restrict const v = span.v;
  float* __restrict const ema = span.ema;
  const AdamNumbers n = numbers;
  const float per_root = 1 / n.root_of_correction;
  for (std::int64_t i = 0; i < span.count; ++i) {
    const float g = gradient[i] * n.gradient_factor;
    const float new_m = m[i] + n.one_minus_beta1 * (g - m[i]);
    const float new_v = n.beta2 * v[i] + n.one_minus_beta2 * g * g;
    const float new_parameter = parameter[i] - n.step_size * new_m / (__builtin_sqrtf(new_v) * per_root + n.epsilon);
    m[i] = new_m;
    v[i] = new_v;
    parameter[i] = new_parameter;
    if constexpr (kEma) ema[i] += n.ema_weight * (new_parameter - ema[i]);
  }
}

}  // namespace

void adam(const AdamSpan& span, const AdamNumbers& numbers) {
  if (span.ema != nullptr)
    update<true>(span, numbers);
  else
    update<false>(span, numbers);
}

double sum_of_squares(const float* values, std::int64_t count) {
  constexpr std::int64_t kChunk = kDoubles * kAccumulators;
  Doubles sums[kAccumulators] = {};
  std::int64_t i = 0;
  for (; i + kChunk <= count; i += kChunk) {
    for (int k = 0; k < kAccumulators; ++k) {
      Halves x;
      __builtin_memcpy(&x, values + i + k * kDoubles, sizeof x);
      const Doubles wide = __builtin_convertvector(x, Doubles);
      sums[k] += wide * wide;
    }
  }
  double sum = 0;
  for (; i < count; ++i) sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  for (int k = 0; k < kAccumulators; ++k) {
    for (int lane = 0; lane < kDoubles; ++lane) sum += sums[k][lane];
  }
  return sum;
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
