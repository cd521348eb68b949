#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// A text and where its pieces stand in it.
struct PieceSpans {
  /// Bytes of the text; begin and end are equal where a piece writes nothing.
  struct Place {
    std::size_t begin = 0, end = 0;
    bool of_next = false;  ///< a byte of the character that the next piece, or one behind it, writes
  };

  std::string text;
  Ids ids;
  std::vector<Place> places;  ///< of each id, in the order of the text
  bool placed = true;         ///< false: the text is not what the pieces write, and the places say nothing

  std::string_view text_of(std::size_t piece) const {
    return std::string_view(text).substr(places[piece].begin, places[piece].end - places[piece].begin);
  }
};

/// The words of a text, which are what ASCII white space parts, and which of them each piece has bytes of.
struct PieceWords {
  /// Numbers of words from 0; begin and end are equal for a piece that is in none. Each byte of a character is in the
  /// word of that character.
  struct Range {
    std::size_t begin = 0, end = 0;
  };

  std::vector<std::string> words;
  std::vector<Range> of_piece;
};
PieceWords words_of(const PieceSpans& pieces);

/// The words of a text alone.
std::vector<std::string> words_of(std::string_view text);

}  // namespace gloss
