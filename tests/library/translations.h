#pragma once

#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <gloss/translator.h>

namespace gloss {

inline const std::string kModel = GLOSS_GOLDEN_FOLDER "/tiny_model.safetensors";
inline const std::vector<std::string> kLines = {"ana baka dalo emi", "yoze", "", "fugo hina joka lemu mo nipa",
                                                "sive waxi yoze ana"};

inline std::vector<std::string> texts(const std::vector<Translation>& translations) {
  std::vector<std::string> result;
  for (const auto& translation : translations) result.push_back(translation.text());
  return result;
}

/// Difference that scores may have where they are equal but for rounding: none on the CPU. On a GPU the other lines of
/// a batch change the last digits.
inline double score_rounding = 0;

inline bool near(double a, double b) { return std::abs(a - b) <= score_rounding; }

/// Returns whether all results of a line are equal, scores but for rounding.
inline bool equal(const Translation& a, const Translation& b) {
  if (a.status != b.status || a.truncated != b.truncated || a.candidates.size() != b.candidates.size()) return false;
  for (std::size_t i = 0; i < a.candidates.size(); ++i) {
    const auto &one = a.candidates[i], &other = b.candidates[i];
    if (one.text != other.text || one.pieces != other.pieces || one.ended != other.ended) return false;
    if (!near(one.score, other.score) || !near(one.log_probability, other.log_probability)) return false;
  }
  return true;
}

}  // namespace gloss
