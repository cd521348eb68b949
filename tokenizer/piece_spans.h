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

/// Joins the spellings of pieces to one line of text: U+2581 becomes a space, spaces at the beginning are dropped, runs
/// of `<0xHH>` become the characters of their bytes, and line ends become spaces.
class JoinedPieces {
 public:
  /// Appends a piece by its spelling.
  void add(std::string_view piece);
  /// Appends text as it is.
  void add_text(std::string_view text);
  /// Appends a piece without text.
  void skip();

  /// Returns the text and the span of each piece, without ids.
  PieceSpans finish();

 private:
  void append_bytes();
  void append(std::string_view text);

  PieceSpans result_;
  std::string bytes_;  ///< of byte pieces that are not written yet
};

}  // namespace gloss
