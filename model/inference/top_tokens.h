#pragma once

#include <cstdint>

#include "common/special_ids.h"
#include "model/inference/packed_linear.h"

namespace gloss {

/// Finds the `width` most likely tokens of x [rows, D], 1 <= width <= V. If `all` [rows, V] has data, it receives every
/// logit. The bits of a row depend on that row only.
TopTokens top_tokens(const PackedLinear& generator, kernels::Rows x, std::int64_t rows, std::int64_t width,
                     kernels::MutableRows all = {});

}  // namespace gloss
