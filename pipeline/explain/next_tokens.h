#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/config/json.h"
#include "common/special_ids.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// The likeliest next tokens of each step, 100 or all that there are, and how much the rest weighs at temperatures from
/// 0.1 to 2: from that a reader can apply temperature, top-k and top-p exactly. `logits` [T, V].
Json decoding_steps(const at::Tensor& logits);

/// The ten likeliest next tokens of each step, with three digits after the point.
Json likeliest_tokens(const at::Tensor& logits);

/// The tokens whose probabilities are compared at each step: the ten likeliest, of which the last makes room for the
/// target's token if that is not among them.
struct Candidates {
  static constexpr std::int64_t kCount = 10;

  at::Tensor ids;  ///< [T, K] int64, K is kCount or the size of the vocabulary

  Candidates(const at::Tensor& logits, std::span<const Id> target);
  /// Log-probabilities [..., T, K] of the candidates, from logits [..., T, V].
  at::Tensor log_probabilities(const at::Tensor& logits) const;
};
Json to_json(const Candidates& candidates, const at::Tensor& logits);

}  // namespace gloss
