#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/piece_spans.h"

namespace gloss {

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
