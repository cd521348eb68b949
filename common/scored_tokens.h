#pragma once

#include <cstdint>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// The most likely tokens of some rows.
struct TopTokens {
  std::int64_t width = 0;
  std::vector<float> logits;            ///< [rows, width], best first, ties by the lower id
  std::vector<Id> ids;                  ///< [rows, width]
  std::vector<double> log_normalizers;  ///< [rows]: log-probability = logit - log_normalizer
};

/// The scores of one given token of each row.
struct TokenScores {
  std::vector<double> logits, log_normalizers;  ///< [rows] each
};

}  // namespace gloss
