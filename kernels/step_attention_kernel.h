#pragma once

#include <cstdint>

namespace gloss::kernels {

/// Attention of one query to keys and values that stand anywhere: those of a hypothesis's ancestors, or of a sentence.
struct StepAttention {
  const float* query = nullptr;           ///< [heads * d_k]
  const float* const* entries = nullptr;  ///< [count]: where each entry begins
  std::int64_t count = 0;                 ///< at least 1
  std::int64_t key = 0, value = 0;        ///< where, in an entry, its key [heads * d_k] and its value begin
  std::int64_t heads = 0, d_k = 0;
  float* out = nullptr;      ///< [heads * d_k]: softmax(query key^T / sqrt(d_k)) value, head beside head
  float* weights = nullptr;  ///< [heads, step_attention_row(count)]: the weights
};

/// Floats of a head's weights.
constexpr std::int64_t step_attention_row(std::int64_t count) { return (count + 15) / 16 * 16; }

using StepAttentionKernel = void(const StepAttention& attention);

}  // namespace gloss::kernels
