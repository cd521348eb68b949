#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/special_ids.h"

namespace gloss {

/// A piece of a SentencePiece model. The values of Type are those of its protocol.
struct Piece {
  enum class Type : std::uint64_t { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

  std::string text;
  float score = 0;
  Type type = Type::kNormal;
};

/// The segmentation algorithm of a model, and its pieces by id.
struct PieceTable {
  enum class Segmentation : std::uint64_t { kUnigram = 1, kBpe = 2, kWord = 3, kCharacter = 4 };

  Segmentation segmentation = Segmentation::kUnigram;
  std::vector<Piece> pieces;
};

/// Parses the message of one piece. Throws BrokenProtobuf.
Piece read_piece(std::string_view message);
/// Parses the bytes of a SentencePiece model. Throws ModelError if they are malformed.
PieceTable read_piece_table(std::string_view model);

/// Returns the characters of valid UTF-8.
std::vector<std::string_view> characters_of(std::string_view text);

}  // namespace gloss
