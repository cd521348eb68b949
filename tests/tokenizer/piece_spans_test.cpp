#include "tokenizer/piece_spans.h"

#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tokenizer/tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

PieceSpans of_parts(const std::vector<std::string>& parts) {
  PieceSpans result;
  for (const auto& part : parts) {
    result.ids.push_back(kSpecialIds);
    result.spans.push_back({result.text.size(), result.text.size() + part.size()});
    result.text += part;
  }
  return result;
}

std::vector<std::pair<std::size_t, std::size_t>> ranges(const PieceWords& words) {
  std::vector<std::pair<std::size_t, std::size_t>> result;
  for (const auto& [begin, end] : words.of_piece) result.emplace_back(begin, end);
  return result;
}

TEST(PieceSpansTest, WordsAreSeparatedByWhiteSpace) {
  EXPECT_THAT(words_of("  one two\tthree \r four"), ElementsAre("one", "two", "three", "four"));
  EXPECT_THAT(words_of(""), IsEmpty());
  EXPECT_THAT(words_of(" \t"), IsEmpty());
  EXPECT_THAT(words_of("a\u00a0b"), ElementsAre("a\u00a0b"));
}

TEST(PieceSpansTest, PieceBelongsToTheWordsOfItsBytes) {
  const auto words = words_of(of_parts({"Hal", "lo", " wor", "ld", "!"}));
  EXPECT_THAT(words.words, ElementsAre("Hallo", "world!"));
  EXPECT_THAT(ranges(words), ElementsAre(Pair(0, 1), Pair(0, 1), Pair(1, 2), Pair(1, 2), Pair(1, 2)));
}

TEST(PieceSpansTest, PieceMayBelongToSeveralWordsOrNone) {
  const auto words = words_of(of_parts({"of the", " ", "", " end of", "fer "}));
  EXPECT_THAT(words.words, ElementsAre("of", "the", "end", "offer"));
  EXPECT_THAT(ranges(words), ElementsAre(Pair(0, 2), Pair(2, 2), Pair(2, 2), Pair(2, 4), Pair(3, 4)));
}

TEST(PieceSpansTest, BytesOfACharacterBelongToOneWord) {
  auto pieces = of_parts({"a", " ", "", "", "é", "", ""});
  for (const auto i : {2, 3, 6}) pieces.spans[static_cast<std::size_t>(i)].of_next = true;
  EXPECT_THAT(ranges(words_of(pieces)),
              ElementsAre(Pair(0, 1), Pair(1, 1), Pair(1, 2), Pair(1, 2), Pair(1, 2), Pair(2, 2), Pair(2, 2)));
}

TEST(PieceSpansTest, UnknownPieceIsASeparateWord) {
  const auto words = words_of(of_parts({"Hal", " ⁇ ", "lo"}));
  EXPECT_THAT(words.words, ElementsAre("Hal", "⁇", "lo"));
  EXPECT_THAT(ranges(words), ElementsAre(Pair(0, 1), Pair(1, 2), Pair(2, 3)));
}

/// A tokenizer without byte ranges.
class PlainTokenizer final : public Tokenizer {
 public:
  Ids encode(std::string_view) const override { return {}; }
  std::string decode(std::span<const Id>) const override { return {}; }
  std::int64_t vocabulary_size() const override { return kSpecialIds; }
  const std::string& serialized() const override { return nothing_; }

 private:
  std::string nothing_;
};

TEST(PieceSpansTest, TokenizerWithoutRangesThrows) {
  EXPECT_THROW(PlainTokenizer().encode_with_spans("a"), Error);
  EXPECT_THROW(PlainTokenizer().decode_with_spans({}), Error);
}

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
