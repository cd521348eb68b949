// Compiled once for each instruction set (kernel_table.h).
#include "kernels/bodies/kernel_bodies.h"
#include "kernels/bodies/random_words.h"

namespace gloss::kernels::GLOSS_INSTRUCTION_SET {
namespace {

// Calls `vector(e, keep)` for each whole vector of elements and `single(e, keep)` for each remaining element.
template <typename Vector, typename Single>
inline void for_each_kept(std::uint64_t first, std::uint64_t count, const DropoutMask& mask, const Vector& vector,
                          const Single& single) {
  Words words[2 * kVectors];
  std::uint64_t done = 0;
  for (; done + kChunk <= count; done += kChunk) {
    random_words((first + done) / 4, mask, words);
    for (int i = 0; i < kChunk / kFloats; ++i) vector(done + i * kFloats, (Integers)(words[i] >= mask.threshold));
  }
  if (done == count) return;
  random_words((first + done) / 4, mask, words);
  std::uint32_t rest[kChunk];
  __builtin_memcpy(rest, words, sizeof rest);
  for (std::uint64_t e = 0; done + e < count; ++e) single(done + e, rest[e] >= mask.threshold);
}

}  // namespace

void dropout(const float* in, float* out, std::uint64_t first, std::uint64_t count, const DropoutMask& mask) {
  for_each_kept(
      first, count, mask,
      [&](std::uint64_t e, Integers keep) { store(out + e, keep_where(keep, load(in + e) * mask.scale)); },
      [&](std::uint64_t e, bool keep) { out[e] = keep ? in[e] * mask.scale : 0.0F; });
}

void dropout_and_add(const float* residual, const float* in, float* out, std::uint64_t first, std::uint64_t count,
                     const DropoutMask& mask) {
  for_each_kept(
      first, count, mask,
      [&](std::uint64_t e, Integers keep) {
        store(out + e, load(residual + e) + keep_where(keep, load(in + e) * mask.scale));
      },
      [&](std::uint64_t e, bool keep) { out[e] = residual[e] + (keep ? in[e] * mask.scale : 0.0F); });
}

void relu_and_dropout(float* values, std::uint64_t first, std::uint64_t count, const DropoutMask& mask) {
  for_each_kept(
      first, count, mask,
      [&](std::uint64_t e, Integers keep) {
        const Floats x = load(values + e);
        store(values + e, keep_where(keep & ~(Integers)(x <= 0.0F), x * mask.scale));
      },
      [&](std::uint64_t e, bool keep) { values[e] = !keep || values[e] <= 0 ? 0.0F : values[e] * mask.scale; });
}

void relu_and_dropout_backward(const float* value, const float* gradient, float* result, std::uint64_t count,
                               float scale) {
  std::uint64_t e = 0;
  for (; e + kFloats <= count; e += kFloats) {
    store(result + e, keep_where(~(Integers)(load(value + e) <= 0.0F), load(gradient + e) * scale));
  }
  for (; e < count; ++e) result[e] = value[e] <= 0 ? 0.0F : gradient[e] * scale;
}

}  // namespace gloss::kernels::GLOSS_INSTRUCTION_SET
