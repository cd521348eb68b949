#include "interchange/export/marian_sentencepiece.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sentencepiece_processor.h>

#include "common/error.h"
#include "tests/run/small_job.h"
#include "tokenizer/piece_table.h"
#include "tokenizer/train_tokenizer.h"

namespace gloss {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::string trained_model(TokenizerType type, bool byte_fallback) {
  SmallJob job;
  auto config = job.config.tokenizer;
  config.type = type;
  config.byte_fallback = byte_fallback;
  if (byte_fallback) config.vocabulary_size += 256;
  return train_tokenizer(std::vector<std::filesystem::path>{job.config.data.train_source, job.config.data.train_target},
                         config);
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
      const auto model = trained_model(type, byte_fallback);
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
      for (const std::string line : {"bada kilo", " the  Bada, nolu!", "a\u00e4\u2581\u65e5 </s> <unk>", "",
                                     "<unused-40><unused-41><unused-42>"})
        EXPECT_EQ(cut_by(after, line), cut_by(before, line)) << line;
    }
}

TEST(MarianSentencepieceTest, KeepsAllOtherSettings) {
  const auto model = trained_model(TokenizerType::kUnigram, false);
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
