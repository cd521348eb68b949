#pragma once

#include <cstdint>
#include <vector>

#include "model/inference/packed_linear.h"

namespace gloss {

/// The most likely tokens of some rows.
struct TopTokens {
  std::int64_t width = 0;
  std::vector<float> logits;            ///< [rows, width], best first, ties by the lower id
  std::vector<std::int32_t> ids;        ///< [rows, width]
  std::vector<double> log_normalizers;  ///< [rows]: log-probability = logit - log_normalizer
};

/// Finds the `width` most likely tokens of x [rows, D], 1 <= width <= V. If `all` [rows, V] has data, it receives every
/// logit. The bits of a row depend on that row only.
TopTokens top_tokens(const PackedLinear& generator, kernels::Rows x, std::int64_t rows, std::int64_t width,
                     kernels::MutableRows all = {});

}  // namespace gloss
