#include "tokenizer/sentencepiece_settings.h"

#include "common/error.h"
#include "common/files/protobuf.h"

namespace gloss {
namespace {

void read_trainer(std::string_view message, SentencePieceSettings& settings) {
  settings.has_trainer = true;
  for (ProtobufFields fields(message); const auto field = fields.next();) {
    if (field->type != ProtobufFields::kVarint) continue;
    const auto id = static_cast<std::int32_t>(field->value);
    if (field->number == TrainerField::kSegmentation)
      settings.segmentation = static_cast<PieceTable::Segmentation>(field->value);
    if (field->number == TrainerField::kWhitespaceAsSuffix) settings.whitespace_as_suffix = field->value != 0;
    if (field->number == TrainerField::kByteFallback) settings.byte_fallback = field->value != 0;
    if (field->number == TrainerField::kPadId) settings.pad = id;
    if (field->number == TrainerField::kUnkId) settings.unk = id;
    if (field->number == TrainerField::kBosId) settings.bos = id;
    if (field->number == TrainerField::kEosId) settings.eos = id;
  }
}

void read_normalizer(std::string_view message, SentencePieceSettings& settings) {
  for (ProtobufFields fields(message); const auto field = fields.next();) {
    const bool is_on = field->value != 0;
    if (field->number == NormalizerField::kCharacterMap && field->type == ProtobufFields::kBytes)
      settings.character_map = field->bytes;
    if (field->type != ProtobufFields::kVarint) continue;
    if (field->number == NormalizerField::kAddDummyPrefix) settings.add_dummy_prefix = is_on;
    if (field->number == NormalizerField::kRemoveExtraWhitespaces) settings.remove_extra_whitespaces = is_on;
    if (field->number == NormalizerField::kEscapeWhitespaces) settings.escape_whitespaces = is_on;
  }
}

}  // namespace

SentencePieceSettings read_sentencepiece_settings(std::string_view model) {
  SentencePieceSettings settings;
  try {
    for (ProtobufFields fields(model); const auto field = fields.next();) {
      if (field->type != ProtobufFields::kBytes) continue;
      if (field->number == ModelField::kTrainer) read_trainer(field->bytes, settings);
      if (field->number == ModelField::kNormalizer) read_normalizer(field->bytes, settings);
      settings.has_normalizer |= field->number == ModelField::kNormalizer;
      if (field->number != ModelField::kDenormalizer) continue;
      SentencePieceSettings denormalizer;
      read_normalizer(field->bytes, denormalizer);
      settings.rewrites_output |= !denormalizer.character_map.empty();
    }
  } catch (const BrokenProtobuf& broken) {
    throw ModelError("tokenizer: wanted a SentencePiece model, got " + broken.what);
  }
  return settings;
}

void expect_complete_sentencepiece(std::string_view model, const std::string& name) {
  const auto settings = read_sentencepiece_settings(model);
  if (!settings.has_trainer || !settings.has_normalizer)
    throw ModelError(name + ": wanted a SentencePiece model, got one without its settings of " +
                     (settings.has_trainer ? "normalization" : "training") + "; the file is cut off");
}

}  // namespace gloss
