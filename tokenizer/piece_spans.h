#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// A text and the byte range of each of its pieces.
struct PieceSpans {
  /// Byte range in the text; empty for a piece without text.
  struct Span {
    std::size_t begin = 0, end = 0;
    bool of_next = false;  ///< the piece is a byte of a character that one of the next pieces writes
  };

  std::string text;
  Ids ids;
  std::vector<Span> spans;  ///< one per id, in the order of the text
  bool spans_known = true;  ///< false: the pieces do not spell the text, and the ranges are meaningless
  std::size_t tags = 0;     ///< number of language tags, which are the first ids and have empty spans

  std::string_view text_of(std::size_t piece) const {
    return std::string_view(text).substr(spans[piece].begin, spans[piece].end - spans[piece].begin);
  }
};

/// The words of a text, separated by ASCII white space, and the words that each piece has bytes of.
struct PieceWords {
  /// Range of word numbers, from 0; empty for a piece that is in no word. All bytes of a character belong to the word
  /// of that character.
  struct Range {
    std::size_t begin = 0, end = 0;
  };

  std::vector<std::string> words;
  std::vector<Range> of_piece;
};
PieceWords words_of(const PieceSpans& pieces);

/// Returns the words of a text.
std::vector<std::string> words_of(std::string_view text);

}  // namespace gloss
