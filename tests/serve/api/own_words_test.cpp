#include "serve/api/own_words.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace gloss {
namespace {

using testing::ElementsAre;

PieceSpans of_parts(const std::vector<std::string>& parts) {
  PieceSpans result;
  for (const auto& part : parts) {
    result.spans.push_back({result.text.size(), result.text.size() + part.size()});
    result.text += part;
  }
  return result;
}

std::vector<std::string> words(const std::vector<std::string>& parts) {
  return words_of(with_spaces(of_parts(parts))).words;
}

TEST(OwnWordsTest, PiecesAreWordsWhereAScriptHasNoSpaces) {
  EXPECT_THAT(words({"我", "喜欢", "机器", "。”"}), ElementsAre("我", "喜欢", "机器", "。”"));
  EXPECT_THAT(words({"東京", "に", "行く"}), ElementsAre("東京", "に", "行く"));
  EXPECT_THAT(words({"ฉัน", "ชอบ", "ภาษา"}), ElementsAre("ฉัน", "ชอบ", "ภาษา"));
  EXPECT_THAT(words({"用", "G", "PU", "训练", " 很", "快"}), ElementsAre("用", "GPU", "训练", "很", "快"));
}

TEST(OwnWordsTest, OtherWordsEndAtSpaces) {
  EXPECT_THAT(words({"un", "bre", "ak", "able", ",", " ve", "ry", "."}), ElementsAre("unbreakable,", "very."));
  EXPECT_THAT(words({"안녕", "하세요", " 여러", "분"}), ElementsAre("안녕하세요", "여러분"));
  EXPECT_THAT(words({"مر", "حبا"}), ElementsAre("مرحبا"));
}

TEST(OwnWordsTest, AMarkStaysWithItsCharacter) { EXPECT_THAT(words({"ท", "ี่", "นี่"}), ElementsAre("ที่", "นี่")); }

TEST(OwnWordsTest, EachPieceKeepsItsWord) {
  auto pieces = of_parts({"ab ", "我", "", "们", "好"});
  // The bytes of one character: the first ones have no text of their own.
  pieces.spans[2] = {pieces.spans[3].begin, pieces.spans[3].begin, /*of_next=*/true};
  const auto spaced = with_spaces(pieces);
  EXPECT_EQ(spaced.text, "ab  我 们 好");
  const auto found = words_of(spaced);
  const std::vector<std::size_t> expected{0, 1, 2, 2, 3};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(found.of_piece[i].begin, expected[i]) << i;
    EXPECT_EQ(found.of_piece[i].end, expected[i] + 1) << i;
  }
}

}  // namespace
}  // namespace gloss
