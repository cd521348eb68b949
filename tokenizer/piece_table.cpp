#include "tokenizer/piece_table.h"

#include <cstring>

#include "common/error.h"
#include "common/files/protobuf.h"
#include "common/text/utf8.h"
#include "tokenizer/sentencepiece_settings.h"

namespace gloss {

Piece read_piece(std::string_view message) {
  Piece piece;
  for (ProtobufFields fields(message); const auto field = fields.next();) {
    if (field->number == PieceField::kText && field->type == ProtobufFields::kBytes) piece.text = field->bytes;
    if (field->number == PieceField::kScore && field->type == ProtobufFields::kFixed32)
      std::memcpy(&piece.score, field->bytes.data(), sizeof piece.score);
    if (field->number == PieceField::kType && field->type == ProtobufFields::kVarint)
      piece.type = static_cast<Piece::Type>(field->value);
  }
  return piece;
}

PieceTable read_piece_table(std::string_view model) {
  PieceTable table{.segmentation = read_sentencepiece_settings(model).segmentation, .pieces = {}};
  try {
    for (ProtobufFields fields(model); const auto field = fields.next();) {
      if (field->number == ModelField::kPieces && field->type == ProtobufFields::kBytes)
        table.pieces.push_back(read_piece(field->bytes));
    }
  } catch (const BrokenProtobuf& broken) {
    throw ModelError("tokenizer: wanted a SentencePiece model, got " + broken.what);
  }
  return table;
}

std::vector<std::string_view> characters_of(std::string_view text) {
  std::vector<std::string_view> characters;
  for (std::size_t offset = 0; offset < text.size(); offset += characters.back().size())
    characters.push_back(text.substr(offset, decode_utf8(text, offset).bytes));
  return characters;
}

}  // namespace gloss
