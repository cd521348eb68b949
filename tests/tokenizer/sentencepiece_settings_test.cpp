#include "tokenizer/sentencepiece_settings.h"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/protobuf.h"
#include "tests/tokenizer/training_text.h"

namespace gloss {
namespace {

using namespace std::string_literals;

/// A field of a protocol buffer whose number is below 16 and whose bytes are fewer than 128.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

TEST(SentencePieceSettingsTest, AbsentFieldsHaveTheDefaultsOfSentencePiece) {
  const auto settings = read_sentencepiece_settings("");
  EXPECT_EQ(settings.character_map, "");
  EXPECT_TRUE(settings.add_dummy_prefix);
  EXPECT_TRUE(settings.remove_extra_whitespaces);
  EXPECT_TRUE(settings.escape_whitespaces);
  EXPECT_FALSE(settings.whitespace_as_suffix);
  EXPECT_FALSE(settings.byte_fallback);
  EXPECT_FALSE(settings.rewrites_output);
  EXPECT_EQ(settings.segmentation, PieceTable::Segmentation::kUnigram);
  EXPECT_EQ((std::vector{settings.pad, settings.unk, settings.bos, settings.eos}),
            (std::vector{kPad, kUnk, kBos, kEos}));
}

TEST(SentencePieceSettingsTest, EachFieldIsRead) {
  // model_type, treat_whitespace_as_suffix, byte_fallback, unk_id, bos_id, eos_id, pad_id
  const auto trainer = field(2, "\x18\2\xc0\1\1\x98\2\1\xc0\2\6\xc8\2\7\xd0\2\x8\xd8\2\x9");
  // precompiled_charsmap, add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces
  const auto normalizer = field(3, field(2, "map") + "\x18\0\x20\0\x28\0"s);
  const auto settings = read_sentencepiece_settings(trainer + normalizer);
  EXPECT_EQ(settings.character_map, "map");
  EXPECT_FALSE(settings.add_dummy_prefix);
  EXPECT_FALSE(settings.remove_extra_whitespaces);
  EXPECT_FALSE(settings.escape_whitespaces);
  EXPECT_TRUE(settings.whitespace_as_suffix);
  EXPECT_TRUE(settings.byte_fallback);
  EXPECT_FALSE(settings.rewrites_output);
  EXPECT_EQ(settings.segmentation, PieceTable::Segmentation::kBpe);
  EXPECT_EQ((std::vector{settings.unk, settings.bos, settings.eos, settings.pad}), (std::vector<Id>{6, 7, 8, 9}));
}

TEST(SentencePieceSettingsTest, OnlyADenormalizerWithRulesRewritesTheOutput) {
  EXPECT_FALSE(read_sentencepiece_settings(field(5, "")).rewrites_output);
  const auto settings = read_sentencepiece_settings(field(5, field(2, "map")));
  EXPECT_TRUE(settings.rewrites_output);
  EXPECT_EQ(settings.character_map, "");
}

TEST(SentencePieceSettingsTest, TrainedModelsHaveTheirByteFallback) {
  auto config = small_config();
  EXPECT_FALSE(read_sentencepiece_settings(train_on(training_text(), config)).byte_fallback);
  config.byte_fallback = true;
  config.vocabulary_size += 256;
  EXPECT_TRUE(read_sentencepiece_settings(train_on(training_text(), config)).byte_fallback);
}

TEST(SentencePieceSettingsTest, TruncatedModelsAreRefused) {
  EXPECT_THROW(read_sentencepiece_settings(field(3, "abc").substr(0, 3)), ModelError);
}

TEST(SentencePieceSettingsTest, AModelThatIsCutBetweenPiecesOrPartsIsRefused) {
  const auto model = train_on(training_text(), small_config());
  EXPECT_NO_THROW(expect_complete_sentencepiece(model, "x"));
  std::vector<std::size_t> ends{0};  // of the pieces and parts
  const std::string_view bytes = model;
  for (ProtobufFields fields(bytes); const auto field = fields.next();)
    ends.push_back(static_cast<std::size_t>(field->bytes.data() + field->bytes.size() - bytes.data()));
  for (const auto end : ends) {
    if (end == model.size()) continue;
    EXPECT_THROW(expect_complete_sentencepiece(bytes.substr(0, end), "x"), ModelError) << end;
  }
}

}  // namespace
}  // namespace gloss
