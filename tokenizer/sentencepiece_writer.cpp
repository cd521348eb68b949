#include "tokenizer/sentencepiece_writer.h"

#include <algorithm>
#include <cstdint>

#include "common/error.h"
#include "tokenizer/normalizer_field.h"
#include "tokenizer/protobuf_fields.h"

namespace gloss {
namespace {

// Fields of TrainerSpec in SentencePiece's sentencepiece_model.proto, besides TrainerField.
constexpr std::uint64_t kModelType = 3, kVocabularySize = 4, kByteFallback = 35, kUnkPiece = 45;

using Fields = ProtobufFields;

/// Writes the fields of one message in the wire format of protocol buffers.
class MessageWriter {
 public:
  void add_number(std::uint64_t field, std::uint64_t value) {
    varint(field << 3 | Fields::kVarint);
    varint(value);
  }
  void add_bytes(std::uint64_t field, std::string_view bytes) {
    varint(field << 3 | Fields::kBytes);
    varint(bytes.size());
    bytes_ += bytes;
  }
  void add_float(std::uint64_t field, float value) {
    varint(field << 3 | Fields::kFixed32);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }

  std::string bytes_;
};

std::string piece_message(const Piece& piece) {
  MessageWriter message;
  message.add_bytes(PieceField::kText, piece.text);
  message.add_float(PieceField::kScore, piece.score);
  if (piece.type != Piece::Type::kNormal) message.add_number(PieceField::kType, static_cast<std::uint64_t>(piece.type));
  return message.bytes();
}

std::string trainer_message(const PieceTable& table, bool byte_fallback) {
  MessageWriter message;
  const auto id_of = [&](std::string_view name) -> std::int64_t {
    const auto found = std::ranges::find(table.pieces, name, &Piece::text);
    return found == table.pieces.end() ? -1 : found - table.pieces.begin();
  };
  const auto unk = std::ranges::find(table.pieces, Piece::Type::kUnknown, &Piece::type);
  message.add_number(kModelType, static_cast<std::uint64_t>(table.segmentation));
  message.add_number(kVocabularySize, table.pieces.size());
  message.add_number(kByteFallback, byte_fallback ? 1 : 0);
  message.add_number(TrainerField::kUnkId, static_cast<std::uint64_t>(unk - table.pieces.begin()));
  message.add_number(TrainerField::kBosId, static_cast<std::uint64_t>(id_of("<s>")));
  message.add_number(TrainerField::kEosId, static_cast<std::uint64_t>(id_of("</s>")));
  message.add_number(TrainerField::kPadId, static_cast<std::uint64_t>(id_of("<pad>")));
  if (unk != table.pieces.end()) message.add_bytes(kUnkPiece, unk->text);
  return message.bytes();
}

std::string normalizer_message(const SentencePieceSettings& settings) {
  MessageWriter message;
  message.add_bytes(NormalizerField::kName, settings.character_map.empty() ? "identity" : "user_defined");
  message.add_bytes(NormalizerField::kCharacterMap, settings.character_map);
  message.add_number(NormalizerField::kAddDummyPrefix, settings.add_dummy_prefix ? 1 : 0);
  message.add_number(NormalizerField::kRemoveExtraWhitespaces, settings.remove_extra_whitespaces ? 1 : 0);
  message.add_number(NormalizerField::kEscapeWhitespaces, settings.escape_whitespaces ? 1 : 0);
  return message.bytes();
}

}  // namespace

std::string write_sentencepiece(const PieceTable& table, const SentencePieceSettings& settings) {
  MessageWriter model;
  for (const auto& piece : table.pieces) model.add_bytes(ModelField::kPieces, piece_message(piece));
  model.add_bytes(ModelField::kTrainer, trainer_message(table, settings.byte_fallback));
  model.add_bytes(ModelField::kNormalizer, normalizer_message(settings));
  return model.bytes();
}

std::string without_pieces(std::string_view model, const std::unordered_set<std::string_view>& pieces) {
  auto table = read_piece_table(model);
  MessageWriter result;
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
  return result.bytes();
}

}  // namespace gloss
