#include "tokenizer/sentencepiece_writer.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include "common/error.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/sentencepiece_model.h"
#include "tokenizer/tokenizer.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr const char* kSentences[] = {"Zwei Kinder spielen am Fluss, 小さな船 ½ ﬁ лодка", "  der   Hund  ", "", "xyz"};

std::string trained(TokenizerType type, bool byte_fallback) {
  auto config = small_config(type);
  if (type == TokenizerType::kChar) config.vocabulary_size = 60;
  config.byte_fallback = byte_fallback;
  if (byte_fallback) config.vocabulary_size += 256;
  return train_on(training_text(), config);
}

TEST(SentencePieceWriterTest, AModelThatIsWrittenAnewCutsAlike) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar})
    for (const bool byte_fallback : {false, true}) {
      const auto bytes = trained(type, byte_fallback);
      const auto anew = write_sentencepiece(read_piece_table(bytes), read_sentencepiece_settings(bytes));
      const auto one = make_tokenizer(bytes, "trained"), other = make_tokenizer(anew, "written");
      EXPECT_NO_THROW(expect_complete_sentencepiece(anew, "written"));
      EXPECT_EQ(read_piece_table(anew).segmentation, read_piece_table(bytes).segmentation);
      for (const auto* sentence : kSentences) EXPECT_EQ(one->encode(sentence), other->encode(sentence)) << sentence;
    }
}

TEST(SentencePieceWriterTest, ATextIsCutWithoutPiecesThatAreTakenOut) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram}) {
    const auto bytes = trained(type, false);
    const auto whole = make_tokenizer(bytes, "whole");
    const auto text = "ein Hund und ein Kind";
    std::unordered_set<std::string_view> taken;
    const auto table = read_piece_table(bytes);
    for (const auto id : whole->encode(text)) {
      const auto& piece = table.pieces[static_cast<std::size_t>(id)];
      if (piece.type == Piece::Type::kNormal && characters_of(piece.text).size() > 1) taken.insert(piece.text);
    }
    ASSERT_FALSE(taken.empty());
    const auto rest = without_pieces(bytes, taken);
    EXPECT_EQ(read_sentencepiece_settings(rest).character_map, read_sentencepiece_settings(bytes).character_map);
    const auto ids = make_tokenizer(rest, "rest")->encode(text);
    EXPECT_GT(ids.size(), whole->encode(text).size());
    EXPECT_EQ(whole->decode(ids), whole->decode(whole->encode(text)));
    for (const auto id : ids) EXPECT_FALSE(taken.contains(table.pieces[static_cast<std::size_t>(id)].text));
    EXPECT_EQ(make_tokenizer(without_pieces(bytes, {}), "same")->encode(text), whole->encode(text));
  }
}

std::vector<std::string> cut_by(const sentencepiece::SentencePieceProcessor& processor, const std::string& line) {
  std::vector<std::string> pieces;
  EXPECT_TRUE(processor.Encode(line, &pieces).ok());
  return pieces;
}

TEST(MarianSentencepieceTest, CutsLinesAsBeforeWithMariansIds) {
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kUnigram, TokenizerType::kChar})
    for (const bool byte_fallback : {false, true}) {
      if (type == TokenizerType::kChar && byte_fallback) continue;
      const auto model = trained(type, byte_fallback);
      sentencepiece::SentencePieceProcessor before, after;
      ASSERT_TRUE(before.LoadFromSerializedProto(model).ok());
      const auto size = before.GetPieceSize() - 2 + 3;
      ASSERT_TRUE(after.LoadFromSerializedProto(marian_sentencepiece(model, size)).ok());
      ASSERT_EQ(after.GetPieceSize(), size);
      EXPECT_EQ(after.eos_id(), 0);
      EXPECT_EQ(after.unk_id(), 1);
      EXPECT_EQ(after.bos_id(), -1);
      EXPECT_EQ(after.pad_id(), -1);
      for (int id = 2; id < size - 3; ++id) {
        EXPECT_EQ(after.IdToPiece(id), before.IdToPiece(id + 2));
        EXPECT_EQ(after.GetScore(id), before.GetScore(id + 2));
        EXPECT_EQ(after.IsByte(id), before.IsByte(id + 2));
      }
      for (int id = size - 3; id < size; ++id) {
        EXPECT_EQ(after.IdToPiece(id), unused_piece(id));
        EXPECT_TRUE(after.IsUnused(id));
      }
      for (const std::string line : {"ein Hund und ein Kind", " the  Bada, nolu!", "a\u00e4\u2581\u65e5 </s> <unk>", "",
                                     "<unused-40><unused-41><unused-42>"})
        EXPECT_EQ(cut_by(after, line), cut_by(before, line)) << line;
    }
}

TEST(MarianSentencepieceTest, KeepsAllOtherSettings) {
  const auto model = trained(TokenizerType::kUnigram, false);
  const auto before = read_piece_table(model), after = read_piece_table(marian_sentencepiece(model, 0));
  EXPECT_EQ(after.segmentation, before.segmentation);
  EXPECT_EQ(after.pieces.size() + 2, before.pieces.size());
  EXPECT_NEAR(static_cast<double>(marian_sentencepiece(model, 0).size()), static_cast<double>(model.size()), 100);
}

TEST(MarianSentencepieceTest, RefusesOtherBytes) {
  EXPECT_THAT([] { marian_sentencepiece("\x0a", 8); }, ThrowsMessage<ModelError>(HasSubstr("a field that is cut off")));
  EXPECT_THAT([] { marian_sentencepiece("", 8); }, ThrowsMessage<ModelError>(HasSubstr("fewer than 4 pieces")));
}

}  // namespace
}  // namespace gloss
