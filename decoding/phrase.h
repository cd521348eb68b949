#pragma once

#include <cstdint>
#include <string>

#include "common/special_ids.h"

namespace gloss {

/// A phrase that a translation must contain, or one of its alternatives.
struct Phrase {
  std::string text;
  Ids ids;                     ///< at least one, without special ids
  bool ends_in_word = false;   ///< no piece after it may continue its last word
  bool has_word_marks = true;  ///< pieces mark where its words begin
  std::int64_t group = -1;  ///< phrases of a sentence with the same number, which follow each other, are alternatives
  bool is_line = false;     ///< its source is the whole line
  /// The pieces of the source that it translates, source_begin to source_end - 1; an empty range if unknown.
  std::int64_t source_begin = 0, source_end = 0;

  bool has_source() const { return source_begin < source_end; }
  /// Returns whether a translation needs only one of the two phrases, which are of one sentence. True for the same one.
  bool replaces(const Phrase& other) const { return this == &other || (group >= 0 && group == other.group); }
};

}  // namespace gloss
