#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "common/text/writing.h"

namespace gloss {

/// Numbers of distinct words and characters of a text.
struct TextVariety {
  std::int64_t distinct_words = 0;  ///< counted up to kMaxDistinctWords
  std::int64_t characters = 0;      ///< distinct code points without white space
  WritingCounts letters = {};
  /// Lines with a character that nmt_nfkc changes: with any; with full-width forms; with joiners after letters other
  /// than Latin, Greek and Cyrillic ones.
  std::int64_t changed_by_nfkc = 0, full_width = 0, joined = 0;
  char32_t first_changed = 0;  ///< the first character of these lines that is changed; 0: none

  static constexpr std::int64_t kMaxDistinctWords = 100'000;
};

/// Size of two aligned texts. A word is a run of bytes without ASCII white space. Only usable pairs count
/// (data/pair_verdict.h).
struct TextSize {
  std::int64_t pairs = 0;
  std::int64_t words = 0;  ///< of both sides
  std::int64_t bytes = 0;  ///< of the longer side, white space included
  TextVariety source, target, both;
};

/// Adds up the size of two aligned texts. Memory does not grow with the texts.
class TextSizeCounter {
 public:
  TextSizeCounter();
  ~TextSizeCounter();

  /// Adds a usable pair.
  void add(std::string_view source, std::string_view target);
  /// Returns the size of the pairs so far.
  TextSize size() const;

 private:
  struct Varieties;

  static std::int64_t add_line(std::string_view line, Varieties& side, Varieties& both);

  std::int64_t pairs_ = 0, words_ = 0, source_bytes_ = 0, target_bytes_ = 0;
  std::unique_ptr<Varieties> source_, target_, both_;
};

}  // namespace gloss
