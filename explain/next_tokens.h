#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/config/json.h"
#include "common/special_ids.h"

namespace gloss {

// Parts of the document of docs/explanation_format.md.

/// Returns the 100 most likely next tokens of each step, or all if there are fewer. The total weight of the rest at
/// temperatures from 0.1 to 2 is included, so that a reader can apply temperature, top-k and top-p exactly. `logits`:
/// [T, V].
Json decoding_steps(const at::Tensor& logits);

/// Returns the ten most likely next tokens of each step, with three digits after the point. `logits`: [T, V].
Json likeliest_tokens(const at::Tensor& logits);

/// Tokens whose probabilities are compared at each step: the ten most likely. The target's token replaces the last of
/// them if it is not among them.
struct Candidates {
  static constexpr std::int64_t kCount = 10;

  at::Tensor ids;  ///< [T, K] int64, K is kCount or the size of the vocabulary

  Candidates(const at::Tensor& logits, std::span<const Id> target);
  /// Returns the log-probabilities [..., T, K] of the candidates, from logits [..., T, V].
  at::Tensor log_probabilities(const at::Tensor& logits) const;
};
Json to_json(const Candidates& candidates, const at::Tensor& logits);

}  // namespace gloss
