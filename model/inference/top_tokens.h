#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/special_ids.h"
#include "model/inference/packed_linear.h"

namespace gloss {

/// Finds the `width` most likely tokens of x [rows, D], 1 <= width <= V. If `all` [rows, V] has data, it receives every
/// logit. The bits of a row depend on that row only.
TopTokens top_tokens(const PackedLinear& generator, kernels::Rows x, std::int64_t rows, std::int64_t width,
                     kernels::MutableRows all = {});

/// Lists of the tokens of each sentence of a batch; empty: all tokens.
using TokenLists = std::vector<std::shared_ptr<const ListedOutputs>>;

/// Finds the tokens of each row among those of its sentence's list; each sentence has as many rows. All other logits
/// are -inf; if a list is shorter than `width`, it is followed by pad. The bits of a row depend on it and its list
/// only.
TopTokens top_tokens(const TokenLists& lists, kernels::Rows x, std::int64_t rows, std::int64_t width,
                     kernels::MutableRows all = {});

}  // namespace gloss
