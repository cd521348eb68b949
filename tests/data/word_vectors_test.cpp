#include "data/word_vectors.h"

#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class WordVectorsTest : public testing::Test {
 protected:
  WordVectorsTest() {
    const std::vector<std::string> pieces = {"<pad>", "<unk>",     "<s>", "</s>",  "\u2581dog",
                                             "dog",   "\u2581the", "ing", "\u2581"};
    for (std::size_t id = 0; id < pieces.size(); ++id) pieces_.add(static_cast<Id>(id), pieces[id]);
  }
  std::filesystem::path write(const std::string& text) {
    std::ofstream(folder_ / "vectors", std::ios::binary) << text;
    return folder_ / "vectors";
  }
  WordVectors read(const std::string& text, std::int64_t width = 2) {
    return read_word_vectors(write(text), pieces_, width);
  }
  /// Returns `text` between 300 good lines, so that one bad line is less than 1 %.
  WordVectors read_among_many(const std::string& text) {
    std::string many;
    for (int i = 0; i < 300; ++i) many += "word" + std::to_string(i) + " 1 2\n";
    return read(many + text + "\nthe 3 4\n");
  }

  PieceSpellings pieces_;
  TemporaryFolder folder_;
};

TEST_F(WordVectorsTest, TheHeadingMayBeMissing) {
  const auto with = read("2 2\n\u2581the 1.5 -2e-1\nother 0 0\n"), without = read("\u2581the 1.5 -2e-1\nother 0 0\n");
  for (const auto& vectors : {with, without}) {
    EXPECT_THAT(vectors.ids, ElementsAre(6));
    EXPECT_THAT(vectors.values, ElementsAre(1.5f, -0.2f));
    EXPECT_EQ(vectors.words, 2);
    EXPECT_EQ(vectors.unusable.count, 0);
  }
  EXPECT_EQ(with.announced, 2);
  EXPECT_FALSE(without.announced.has_value());
}

TEST_F(WordVectorsTest, APieceIsFoundWithAndWithoutItsMarkTheExactSpellingFirst) {
  EXPECT_THAT(read("dog 1 2\n").ids, ElementsAre(4, 5)) << "as a word, and as the piece of that spelling";
  for (const auto& text : {"dog 1 2\n\u2581dog 3 4\n"s, "\u2581dog 3 4\ndog 1 2\n"s})
    EXPECT_THAT(read(text).values, ElementsAre(3, 4, 1, 2)) << text;
  EXPECT_THAT(read("the 1 2\n").ids, ElementsAre(6));
  EXPECT_THAT(read("ing 1 2\n\u2581ing 3 4\n").values, ElementsAre(1, 2)) << "no word begins with this piece";
}

TEST_F(WordVectorsTest, SymbolsAreWordsButPadIsNot) {
  EXPECT_THAT(read("<pad> 1 2\n<unk> 3 4\n</s> 5 6\n").ids, ElementsAre(1, 3));
}

TEST_F(WordVectorsTest, OfARepeatedWordTheFirstCounts) {
  EXPECT_THAT(read("the 1 2\nthe 3 4\n").values, ElementsAre(1, 2));
}

TEST_F(WordVectorsTest, SpacesTabsAndWindowsLineEndsSeparate) {
  const auto vectors = read("1 2\r\nthe\t1  2 \r\n\r\n");
  EXPECT_THAT(vectors.values, ElementsAre(1, 2));
  EXPECT_EQ(vectors.words, 1);
  EXPECT_EQ(vectors.unusable.count, 0);
}

TEST_F(WordVectorsTest, ABadLineIsLeftOutAndCounted) {
  for (const auto& line : {"ing 1"s, "ing 1 2 3"s, "ing 1 nan"s, "ing 1 inf"s, "ing 1 1e99"s, "ing 1 two"s,
                           "ing 1 0x2"s, "ing 1 2\xff"s, "\xff 1 2"s, "a\0b 1 2"s, "ing"s,
                           "ing 1 2 "s + std::string(1 << 20, ' '), std::string(1 << 20, 'x') + " 1 2"}) {
    const auto vectors = read_among_many(line);
    EXPECT_THAT(vectors.ids, ElementsAre(6)) << line.substr(0, 20);
    EXPECT_EQ(vectors.unusable.count, 1) << line.substr(0, 20);
    EXPECT_THAT(vectors.unusable.first_lines, ElementsAre(301));
  }
}

TEST_F(WordVectorsTest, VerySmallNumbersAreZeroAndASignIsTaken) {
  EXPECT_THAT(read("the 1e-300 +2\n").values, ElementsAre(0, 2));
}

TEST_F(WordVectorsTest, ManyBadLinesAreRefused) {
  EXPECT_THAT([&] { read("the 1 2\nx 1\ny 2\n"); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("got 2 of 3 lines"), HasSubstr("first lines: 2, 3"))));
}

TEST_F(WordVectorsTest, AnotherWidthIsRefused) {
  EXPECT_THAT([&] { read("10 300\nthe 1 2\n"); },
              ThrowsMessage<DataError>(HasSubstr("wanted vectors of model.d_model = 2 numbers, got 300")));
  EXPECT_THAT([&] { read("the 1 2 3\n"); }, ThrowsMessage<DataError>(HasSubstr("got 3")));
  EXPECT_THAT([&] { read("\n"); }, ThrowsMessage<DataError>(HasSubstr("got a first line without numbers")));
}

TEST_F(WordVectorsTest, AFileWithoutAPieceIsRefused) {
  EXPECT_THAT([&] { read("Hund 1 2\n"); }, ThrowsMessage<DataError>(HasSubstr("none of the 8 pieces is among its 1")));
  EXPECT_THAT([&] { read(""); }, ThrowsMessage<DataError>(HasSubstr("none of the 8 pieces")));
  EXPECT_THAT([&] { read("\x1f\x8b\x08"); }, ThrowsMessage<DataError>(HasSubstr("gzip")));
}

TEST_F(WordVectorsTest, AFileWithoutVectorsIsNotReportedAsWidthZero) {
  EXPECT_THAT(
      [&] {
        read(
            "\x7f"
            "ELF\x01\x02\n\x03 x\n");
      },
      ThrowsMessage<DataError>(HasSubstr("got a first line without numbers")));
}

TEST_F(WordVectorsTest, AnExceptionBeforeALineEndsTheReading) {
  int lines = 0;
  const auto path = write("the 1 2\ndog 3 4\ning 5 6\n");
  EXPECT_THROW(read_word_vectors(path, pieces_, 2,
                                 [&] {
                                   if (++lines == 2) throw DataError("enough");
                                 }),
               DataError);
  EXPECT_EQ(lines, 2);
}

// gloss check-data reads the vectors before the tokenizer is trained.
TEST_F(WordVectorsTest, WithoutPiecesTheNumbersAreChecked) {
  const auto check = [&](const std::string& text) {
    return [this, text] { read_word_vectors(write(text), PieceSpellings(), 2); };
  };
  EXPECT_NO_THROW(check("the 0 0\ndog 1 0\n")());
  EXPECT_THAT(check("the nan nan\n"), ThrowsMessage<DataError>(HasSubstr("2 finite numbers")));
  EXPECT_THAT(check("the 0 0\ndog 0 -0\n"), ThrowsMessage<DataError>(HasSubstr("got zeros for every piece")));
  EXPECT_THAT(check(""), ThrowsMessage<DataError>(HasSubstr("got no words")));
  EXPECT_THAT([&] { read("the 0 0\nother 1 1\n"); }, ThrowsMessage<DataError>(HasSubstr("got zeros for every piece")));
}

}  // namespace
}  // namespace gloss
