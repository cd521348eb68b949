#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace gloss {

/// Index of a piece in a vocabulary.
using Id = std::int32_t;
using Ids = std::vector<Id>;

inline constexpr Id kPad = 0;                ///< padding of a batch; never translated, never counted
inline constexpr Id kUnk = 1;                ///< text that the vocabulary has no piece for
inline constexpr Id kBos = 2;                ///< the decoder's first input
inline constexpr Id kEos = 3;                ///< end of a source or target sentence
inline constexpr Id kSpecialIds = kEos + 1;  ///< number of special ids; the pieces of text follow them

/// Returns whether kUnk is among the ids.
inline bool has_unknown(std::span<const Id> ids) { return std::ranges::find(ids, kUnk) != ids.end(); }

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
