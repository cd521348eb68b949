#include "tokenizer/joined_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;

PieceSpans joined(std::initializer_list<std::string_view> pieces) {
  JoinedPieces joined;
  for (const auto piece : pieces) joined.add(piece);
  return joined.finish();
}

std::vector<std::string> parts(const PieceSpans& pieces) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < pieces.spans.size(); ++i) texts.emplace_back(pieces.text_of(i));
  return texts;
}

TEST(JoinedPiecesTest, SpaceMarksAreSpaces) {
  const auto pieces = joined({"▁Hello", "▁w", "or", "ld", "▁", "!▁x"});
  EXPECT_EQ(pieces.text, "Hello world ! x");
  EXPECT_THAT(parts(pieces), ElementsAre("Hello", " w", "or", "ld", " ", "! x"));
}

TEST(JoinedPiecesTest, SpacesAtTheBeginningAreDropped) {
  EXPECT_THAT(parts(joined({"▁", "▁a", "▁", "b"})), ElementsAre("", "a", " ", "b"));
  EXPECT_EQ(joined({"▁▁a"}).text, "a");
  EXPECT_EQ(joined({}).text, "");
}

TEST(JoinedPiecesTest, BytesBecomeCharacters) {
  const auto pieces = joined({"a", "<0xE2>", "<0x82>", "<0xAC>", "<0x41>", "▁b"});
  EXPECT_EQ(pieces.text, "a€A b");
  EXPECT_THAT(parts(pieces), ElementsAre("a", "", "", "€", "A", " b"));
  EXPECT_TRUE(pieces.spans[1].of_next);
  EXPECT_TRUE(pieces.spans[2].of_next);
  EXPECT_FALSE(pieces.spans[3].of_next);
}

TEST(JoinedPiecesTest, BytesThatAreNoCharacterAreReplaced) {
  EXPECT_THAT(parts(joined({"<0xE2>", "<0x82>", "a"})), ElementsAre("\ufffd", "\ufffd", "a"));
  EXPECT_THAT(parts(joined({"<0x00>", "<0xFF>"})), ElementsAre("\ufffd", "\ufffd"));
  EXPECT_EQ(joined({"<0x0A>", "<0x0D>", "a"}).text, "  a") << "a line stays one line";
}

TEST(JoinedPiecesTest, OtherPiecesInBracketsAreText) {
  EXPECT_EQ(joined({"<0x4>", "<0xGG>", "<0x041>", "<0x 1>", "<0x-1>"}).text, "<0x4><0xGG><0x041><0x 1><0x-1>");
}

TEST(JoinedPiecesTest, SkippedPiecesHaveEmptySpans) {
  JoinedPieces pieces;
  pieces.skip();
  pieces.add("▁a");
  pieces.add_text(" \u2047 ");
  pieces.add("<0x41>");
  pieces.skip();
  const auto result = pieces.finish();
  EXPECT_EQ(result.text, "a \u2047 A");
  EXPECT_THAT(parts(result), ElementsAre("", "a", " \u2047 ", "A", ""));
}

}  // namespace
}  // namespace gloss
