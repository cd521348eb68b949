#pragma once

#include <cstdint>

namespace gloss::kernels {

/// Attention of one query to keys and values at arbitrary addresses: those of a hypothesis's ancestors, or of a source
/// sentence.
struct StepAttention {
  const float* query = nullptr;           ///< [heads * d_k]
  const float* const* entries = nullptr;  ///< [count]: address of each entry
  std::int64_t count = 0;                 ///< at least 1
  std::int64_t key = 0, value = 0;        ///< offsets of key [heads * d_k] and value [heads * d_k] within an entry
  std::int64_t heads = 0, d_k = 0;
  float* out = nullptr;      ///< [heads * d_k]: softmax(query key^T / sqrt(d_k)) value, heads concatenated
  float* weights = nullptr;  ///< [heads, step_attention_row(count)]: the weights
};

/// Returns the number of floats of one head's weights: `count` rounded up to a multiple of 16.
constexpr std::int64_t step_attention_row(std::int64_t count) { return (count + 15) / 16 * 16; }

using StepAttentionKernel = void(const StepAttention& attention);

}  // namespace gloss::kernels
