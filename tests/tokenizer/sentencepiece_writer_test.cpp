#include "tokenizer/sentencepiece_writer.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/tokenizer/training_text.h"
#include "tokenizer/make_tokenizer.h"

namespace gloss {
namespace {

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

}  // namespace
}  // namespace gloss
