#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// A piece of a SentencePiece model; the values are those of its protocol.
struct Piece {
  enum class Type : std::uint64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

  std::string text;
  float score = 0;
  Type type = Type::kNormal;
};

/// What cuts a text into pieces, and the pieces by id.
struct PieceTable {
  enum class Segmentation : std::uint64_t { kUnigram = 1, kBpe = 2, kWord = 3, kCharacter = 4 };

  Segmentation segmentation = Segmentation::kUnigram;
  std::vector<Piece> pieces;
};

/// From the bytes of a SentencePiece model. Throws ModelError where they are none.
PieceTable read_piece_table(std::string_view model);

/// The characters of valid UTF-8.
std::vector<std::string_view> characters_of(std::string_view text);

}  // namespace gloss
