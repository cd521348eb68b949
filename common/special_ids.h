#pragma once

#include <cstdint>
#include <vector>

namespace gloss {

/// One piece of a vocabulary.
using Id = std::int32_t;
using Ids = std::vector<Id>;

inline constexpr Id kPad = 0;                ///< fills a batch up; never translated, never counted
inline constexpr Id kUnk = 1;                ///< what the vocabulary has no piece for
inline constexpr Id kBos = 2;                ///< the decoder's first input
inline constexpr Id kEos = 3;                ///< ends a source and a target
inline constexpr Id kSpecialIds = kEos + 1;  ///< so many stand before the pieces of a text

}  // namespace gloss
