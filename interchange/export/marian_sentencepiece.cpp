#include "interchange/export/marian_sentencepiece.h"

#include <vector>

#include "common/error.h"
#include "common/files/protobuf.h"
#include "common/special_ids.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/sentencepiece_settings.h"

namespace gloss {
namespace {

using Fields = ProtobufFields;

std::string unused_piece_message(std::int64_t id) {
  ProtobufWriter message;
  message.add_bytes(PieceField::kText, unused_piece(id));
  message.add_float(PieceField::kScore, 0);
  message.add_number(PieceField::kType, static_cast<std::uint64_t>(Piece::Type::kUnused));
  return message.message();
}

/// Returns the settings of the trainer with Marian's ids of the special pieces.
std::string marian_trainer(std::string_view settings) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};  // -1
  ProtobufWriter message;
  for (Fields fields(settings); const auto field = fields.next();)
    if (field->number < TrainerField::kUnkId || field->number > TrainerField::kPadId) message.add(*field);
  for (const auto& [number, id] : {std::pair(TrainerField::kUnkId, std::uint64_t{1}),
                                   {TrainerField::kBosId, kNone},
                                   {TrainerField::kEosId, 0},
                                   {TrainerField::kPadId, kNone}})
    message.add_number(number, id);
  return message.message();
}

std::string rewritten(std::string_view model, std::int64_t size) {
  std::vector<std::string_view> pieces;
  ProtobufWriter rest;
  for (Fields fields(model); const auto field = fields.next();) {
    if (field->number == ModelField::kPieces && field->type == Fields::kBytes)
      pieces.push_back(field->bytes);
    else if (field->number == ModelField::kTrainer && field->type == Fields::kBytes)
      rest.add_bytes(ModelField::kTrainer, marian_trainer(field->bytes));
    else
      rest.add(*field);
  }
  if (pieces.size() < kSpecialIds) throw BrokenProtobuf{"fewer than " + std::to_string(kSpecialIds) + " pieces"};
  ProtobufWriter result;
  for (const auto id : {kEos, kUnk}) result.add_bytes(ModelField::kPieces, pieces[id]);
  for (std::size_t id = kSpecialIds; id < pieces.size(); ++id) result.add_bytes(ModelField::kPieces, pieces[id]);
  for (auto id = std::ssize(pieces) - 2; id < size; ++id)
    result.add_bytes(ModelField::kPieces, unused_piece_message(id));
  return result.message() + rest.message();
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
