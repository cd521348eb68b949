#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace gloss {

/// Variety of the words and characters of a text.
struct TextVariety {
  std::int64_t distinct_words = 0;  ///< counted up to kMaxDistinctWords
  std::int64_t characters = 0;      ///< distinct code points without white space

  static constexpr std::int64_t kMaxDistinctWords = 100'000;
};

/// Size of two aligned texts. A word is a run of bytes without ASCII white space. Pairs with an empty side or with
/// bytes that are not UTF-8 are not counted.
struct TextSize {
  std::int64_t pairs = 0;
  std::int64_t words = 0;  ///< of both sides
  std::int64_t bytes = 0;  ///< of the longer side, white space included
  TextVariety source, target, both;
};

/// Reads both texts once, up to the end of the shorter one, and calls `before_pair`, if there is one, before each pair.
/// Memory does not grow with the texts. Throws as LineReader.
TextSize measure_texts(const std::filesystem::path& source, const std::filesystem::path& target,
                       const std::function<void()>& before_pair = {});

}  // namespace gloss
