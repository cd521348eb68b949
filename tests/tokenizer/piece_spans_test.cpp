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

}  // namespace
}  // namespace gloss
