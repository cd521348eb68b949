// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/vectors.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {

void layer_norm(const float* x, const NormWeights& weights, float* out) {
  const std::int64_t width = weights.width, whole = width / kFloats * kFloats;
  Floats sums = broadcast(0);
  for (std::int64_t j = 0; j < whole; j += kFloats) sums += load(x + j);
  float sum = sum_of(sums);
  for (std::int64_t j = whole; j < width; ++j) sum += x[j];
  const float mean = sum / static_cast<float>(width);

  Floats squares = broadcast(0);
  for (std::int64_t j = 0; j < whole; j += kFloats) {
    const Floats difference = load(x + j) - mean;
    squares += difference * difference;
  }
  float square = sum_of(squares);
  for (std::int64_t j = whole; j < width; ++j) square += (x[j] - mean) * (x[j] - mean);
  const float scale = 1 / __builtin_sqrtf(square / static_cast<float>(width) + weights.epsilon);

  for (std::int64_t j = 0; j < whole; j += kFloats)
    store(out + j, (load(x + j) - mean) * scale * load(weights.weight + j) + load(weights.bias + j));
  for (std::int64_t j = whole; j < width; ++j) out[j] = (x[j] - mean) * scale * weights.weight[j] + weights.bias[j];
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
