#pragma once

#include <cstdint>

#include "kernels/dropout_kernel.h"

namespace gloss::kernels {

/// Attention of one head in one sentence: T queries, S keys and values, each d_k wide.
struct AttentionHead {
  std::int64_t T = 0, S = 0, d_k = 0;
  std::int64_t visible = 0;              ///< keys from here on are hidden
  bool causal = false;                   ///< query t sees keys up to t + S - T
  const DropoutMask* dropout = nullptr;  ///< of the weights; null: none
  std::uint64_t first = 0;               ///< dropout's element for query 0 and key 0; the rest follow row by row
};

/// `count` rows of floats, each `stride` behind the one before.
struct Rows {
  const float* data;
  std::int64_t stride;
};
struct MutableRows {
  float* data;
  std::int64_t stride;
};

/// out = dropout(softmax(query key^T / sqrt(d_k))) value; a query that sees nothing gets zeros. log_normalizer [T] is
/// for the backward pass. `scratch` has attention_scratch(head) floats.
using AttentionKernel = void(const AttentionHead& head, Rows query, Rows key, Rows value, MutableRows out,
                             float* log_normalizer, float* scratch);

/// The gradients of query, key and value, written over what is there; the weights are computed again.
struct AttentionGradients {
  MutableRows query, key, value;
};
using AttentionBackwardKernel = void(const AttentionHead& head, Rows query, Rows key, Rows value, Rows out_gradient,
                                     const float* log_normalizer, const AttentionGradients& gradients, float* scratch);

/// Floats of scratch that either kernel needs at most, for every instruction set.
constexpr std::int64_t attention_scratch(std::int64_t T, std::int64_t S, std::int64_t d_k) {
  constexpr std::int64_t kWidest = 16;
  const auto up = [](std::int64_t n) { return (n + kWidest - 1) / kWidest * kWidest; };
  return up(d_k) * (3 * up(T) + 5 * up(S)) + 3 * up(T) * up(S) + T * S + 1024;
}

}  // namespace gloss::kernels
