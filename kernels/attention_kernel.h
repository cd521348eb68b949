#pragma once

#include <cstdint>

#include "kernels/dropout_kernel.h"

namespace gloss::kernels {

/// Attention of one head in one sentence: T queries, S keys and values, each of size d_k.
struct AttentionHead {
  std::int64_t T = 0, S = 0, d_k = 0;
  std::int64_t visible = 0;              ///< the first `visible` keys are visible
  bool causal = false;                   ///< query t sees keys up to t + S - T
  const DropoutMask* dropout = nullptr;  ///< dropout of the attention weights; null: none
  std::uint64_t first = 0;               ///< index of dropout element (query 0, key 0); the others follow in row-major
                                         ///< order
};

/// A matrix of floats, row-major. Consecutive rows start `stride` floats apart.
struct Rows {
  const float* data;
  std::int64_t stride;
};
struct MutableRows {
  float* data;
  std::int64_t stride;
};

/// out = dropout(softmax(query key^T / sqrt(d_k))) value. A query without visible keys yields zeros. log_normalizer [T]
/// is an output for the backward pass. `scratch` has attention_scratch(T, S, d_k) floats.
using AttentionKernel = void(const AttentionHead& head, Rows query, Rows key, Rows value, MutableRows out,
                             float* log_normalizer, float* scratch);

/// Gradients of query, key and value. Existing content is overwritten.
struct AttentionGradients {
  MutableRows query, key, value;
};
using AttentionBackwardKernel = void(const AttentionHead& head, Rows query, Rows key, Rows value, Rows out_gradient,
                                     const float* log_normalizer, const AttentionGradients& gradients, float* scratch);

/// Returns an upper bound, for every instruction set, of the floats of scratch that either kernel needs.
constexpr std::int64_t attention_scratch(std::int64_t T, std::int64_t S, std::int64_t d_k) {
  constexpr std::int64_t kWidest = 16;
  const auto up = [](std::int64_t n) { return (n + kWidest - 1) / kWidest * kWidest; };
  return up(d_k) * (3 * up(T) + 5 * up(S)) + 3 * up(T) * up(S) + T * S + 1024;
}

}  // namespace gloss::kernels
