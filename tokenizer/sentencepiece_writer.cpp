#include "tokenizer/sentencepiece_writer.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/error.h"
#include "common/files/protobuf.h"
#include "common/special_ids.h"
#include "tokenizer/sentencepiece_model.h"

namespace gloss {
namespace {

using Fields = ProtobufFields;

std::string piece_message(const Piece& piece) {
  ProtobufWriter message;
  message.add_bytes(PieceField::kText, piece.text);
  message.add_float(PieceField::kScore, piece.score);
  if (piece.type != Piece::Type::kNormal) message.add_number(PieceField::kType, static_cast<std::uint64_t>(piece.type));
  return message.message();
}

std::string trainer_message(const PieceTable& table, bool byte_fallback) {
  ProtobufWriter message;
  const auto id_of = [&](std::string_view name) -> std::int64_t {
    const auto found = std::ranges::find(table.pieces, name, &Piece::text);
    return found == table.pieces.end() ? -1 : found - table.pieces.begin();
  };
  const auto unk = std::ranges::find(table.pieces, Piece::Type::kUnknown, &Piece::type);
  message.add_number(TrainerField::kSegmentation, static_cast<std::uint64_t>(table.segmentation));
  message.add_number(TrainerField::kVocabularySize, table.pieces.size());
  message.add_number(TrainerField::kByteFallback, byte_fallback ? 1 : 0);
  message.add_number(TrainerField::kUnkId, static_cast<std::uint64_t>(unk - table.pieces.begin()));
  message.add_number(TrainerField::kBosId, static_cast<std::uint64_t>(id_of("<s>")));
  message.add_number(TrainerField::kEosId, static_cast<std::uint64_t>(id_of("</s>")));
  message.add_number(TrainerField::kPadId, static_cast<std::uint64_t>(id_of("<pad>")));
  if (unk != table.pieces.end()) message.add_bytes(TrainerField::kUnkPiece, unk->text);
  return message.message();
}

std::string normalizer_message(const SentencePieceSettings& settings) {
  ProtobufWriter message;
  message.add_bytes(NormalizerField::kName, settings.character_map.empty() ? "identity" : "user_defined");
  message.add_bytes(NormalizerField::kCharacterMap, settings.character_map);
  message.add_number(NormalizerField::kAddDummyPrefix, settings.add_dummy_prefix ? 1 : 0);
  message.add_number(NormalizerField::kRemoveExtraWhitespaces, settings.remove_extra_whitespaces ? 1 : 0);
  message.add_number(NormalizerField::kEscapeWhitespaces, settings.escape_whitespaces ? 1 : 0);
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

}  // namespace

std::string write_sentencepiece(const PieceTable& table, const SentencePieceSettings& settings) {
  ProtobufWriter model;
  for (const auto& piece : table.pieces) model.add_bytes(ModelField::kPieces, piece_message(piece));
  model.add_bytes(ModelField::kTrainer, trainer_message(table, settings.byte_fallback));
  model.add_bytes(ModelField::kNormalizer, normalizer_message(settings));
  return model.message();
}

std::string without_pieces(std::string_view model, const std::unordered_set<std::string_view>& pieces) {
  auto table = read_piece_table(model);
  ProtobufWriter result;
  auto piece = table.pieces.begin();
  for (Fields fields(model); const auto field = fields.next();) {
    if (field->type != Fields::kBytes) continue;  // none belongs to a model
    if (field->number == ModelField::kPieces && pieces.contains((piece++)->text)) {
      auto& unused = *std::prev(piece);
      unused.type = Piece::Type::kUnused;
      result.add_bytes(field->number, piece_message(unused));
    } else {
      result.add_bytes(field->number, field->bytes);
    }
  }
  return result.message();
}

std::string marian_sentencepiece(std::string_view model, std::int64_t size) {
  std::vector<std::string_view> pieces;
  ProtobufWriter rest;
  for_each_field(model, [&](const Fields::Field& field) {
    if (field.number == ModelField::kPieces && field.type == Fields::kBytes)
      pieces.push_back(field.bytes);
    else if (field.number == ModelField::kTrainer && field.type == Fields::kBytes)
      rest.add_bytes(ModelField::kTrainer, marian_trainer(field.bytes));
    else
      rest.add(field);
  });
  if (pieces.size() < kSpecialIds)
    throw ModelError("tokenizer: wanted a SentencePiece model, got fewer than " + std::to_string(kSpecialIds) +
                     " pieces");
  ProtobufWriter result;
  for (const auto id : {kEos, kUnk}) result.add_bytes(ModelField::kPieces, pieces[id]);
  for (std::size_t id = kSpecialIds; id < pieces.size(); ++id) result.add_bytes(ModelField::kPieces, pieces[id]);
  for (auto id = std::ssize(pieces) - 2; id < size; ++id)
    result.add_bytes(ModelField::kPieces, piece_message({unused_piece(id), 0, Piece::Type::kUnused}));
  return result.message() + rest.message();
}

std::string unused_piece(std::int64_t id) { return "<unused-" + std::to_string(id) + '>'; }

}  // namespace gloss
