#include "pipeline/interchange/export/marian_sentencepiece.h"

#include <vector>

#include "common/error.h"
#include "common/special_ids.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/protobuf_fields.h"

namespace gloss {
namespace {

using Fields = ProtobufFields;

void add_varint(std::string& message, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) message += static_cast<char>((value & 0x7F) | 0x80);
  message += static_cast<char>(value);
}

void add_field(std::string& message, const Fields::Field& field) {
  add_varint(message, field.number << 3 | field.type);
  if (field.type == Fields::kVarint) return add_varint(message, field.value);
  if (field.type == Fields::kBytes) add_varint(message, field.bytes.size());
  message += field.bytes;
}

void add_bytes(std::string& message, std::uint64_t number, std::string_view bytes) {
  add_field(message, {number, Fields::kBytes, bytes, 0});
}

std::string unused_piece_message(std::int64_t id) {
  std::string message;
  add_bytes(message, PieceField::kText, unused_piece(id));
  add_field(message, {PieceField::kScore, Fields::kFixed32, std::string_view("\0\0\0\0", 4), 0});
  add_field(message, {PieceField::kType, Fields::kVarint, {}, static_cast<std::uint64_t>(Piece::Type::kUnused)});
  return message;
}

/// Returns the settings of the trainer with Marian's ids of the special pieces.
std::string marian_trainer(std::string_view settings) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};  // -1
  std::string message;
  for (Fields fields(settings); const auto field = fields.next();)
    if (field->number < TrainerField::kUnkId || field->number > TrainerField::kPadId) add_field(message, *field);
  for (const auto& [number, id] : {std::pair(TrainerField::kUnkId, std::uint64_t{1}),
                                   {TrainerField::kBosId, kNone},
                                   {TrainerField::kEosId, 0},
                                   {TrainerField::kPadId, kNone}})
    add_field(message, {number, Fields::kVarint, {}, id});
  return message;
}

std::string rewritten(std::string_view model, std::int64_t size) {
  std::vector<std::string_view> pieces;
  std::string rest;
  for (Fields fields(model); const auto field = fields.next();) {
    if (field->number == ModelField::kPieces && field->type == Fields::kBytes)
      pieces.push_back(field->bytes);
    else if (field->number == ModelField::kTrainer && field->type == Fields::kBytes)
      add_bytes(rest, ModelField::kTrainer, marian_trainer(field->bytes));
    else
      add_field(rest, *field);
  }
  if (pieces.size() < kSpecialIds) throw BrokenProtobuf{"fewer than " + std::to_string(kSpecialIds) + " pieces"};
  std::string result;
  for (const auto id : {kEos, kUnk}) add_bytes(result, ModelField::kPieces, pieces[id]);
  for (std::size_t id = kSpecialIds; id < pieces.size(); ++id) add_bytes(result, ModelField::kPieces, pieces[id]);
  for (auto id = std::ssize(pieces) - 2; id < size; ++id)
    add_bytes(result, ModelField::kPieces, unused_piece_message(id));
  return result + rest;
}

}  // namespace

std::string marian_sentencepiece(std::string_view model, std::int64_t size) {
  try {
    return rewritten(model, size);
  } catch (const BrokenProtobuf& broken) {
    throw ModelError("tokenizer: wanted a SentencePiece model, got " + broken.what);
  }
}

std::string unused_piece(std::int64_t id) { return "<unused-" + std::to_string(id) + '>'; }

}  // namespace gloss
