#include "data/parallel_corpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/data/letter_tokenizer.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const LetterTokenizer kLetters;

ParallelCorpus read(const std::string& source, const std::string& target, const ParallelCorpus::Options& options = {}) {
  const CorpusFiles files(source, target);
  return ParallelCorpus::read(files.source(), files.target(), kLetters, kLetters, options);
}

std::vector<std::string> sources(const ParallelCorpus& corpus) {
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < corpus.size(); ++i) lines.push_back(kLetters.decode(corpus.source(i)));
  return lines;
}

std::string repeated(const std::string& line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += line;
  return text;
}

TEST(ParallelCorpusTest, PairsArePiecesAndEos) {
  const auto corpus = read("ab\nc\n", "d\nef\n");
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_THAT(corpus.source(0), ElementsAre(4 + 'a', 4 + 'b', kEos));
  EXPECT_THAT(corpus.target(0), ElementsAre(4 + 'd', kEos));
  EXPECT_THAT(corpus.source(1), ElementsAre(4 + 'c', kEos));
  EXPECT_THAT(corpus.target(1), ElementsAre(4 + 'e', 4 + 'f', kEos));
  EXPECT_EQ(corpus.reports().at(0).lines, 2);
}

TEST(ParallelCorpusTest, BatchHoldsTheSentencesAskedFor) {
  const auto batch = read("a\nb\nc\n", "xx\ny\nzzz\n").batch(std::vector<std::int64_t>{2, 0});
  EXPECT_THAT(batch.source, ElementsAre(Ids{4 + 'c', kEos}, Ids{4 + 'a', kEos}));
  EXPECT_THAT(batch.target, ElementsAre(Ids{4 + 'z', 4 + 'z', 4 + 'z', kEos}, Ids{4 + 'x', 4 + 'x', kEos}));
  EXPECT_EQ(batch.target_tokens(), 7);
}

TEST(ParallelCorpusTest, DifferentLineCountsAreStated) {
  EXPECT_THAT([] { read("a\nb\nc\n", "a\nb\nc\nd\ne"); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("source has 3 lines"), HasSubstr("target 5;"))));
  EXPECT_THAT([] { read("a\nb\n", ""); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("source has 2 lines"), HasSubstr("target 0;"))));
}

TEST(ParallelCorpusTest, LineThatIsNotUtf8IsLeftOutWithItsPartner) {
  const auto corpus = read(repeated("a\n", 297) + "\xC3(\nb\nc\n", repeated("a\n", 297) + "b\nb\nn\0ul\n"s);
  EXPECT_EQ(corpus.size(), 298);
  EXPECT_EQ(sources(corpus).back(), "b");
  EXPECT_EQ(corpus.reports().at(0).invalid_utf8.count, 2);
  EXPECT_THAT(corpus.reports().at(0).invalid_utf8.first_lines, ElementsAre(298, 300));
}

TEST(ParallelCorpusTest, MoreThanOneLineInAHundredNotUtf8IsAnError) {
  EXPECT_NO_THROW(read(repeated("a\n", 99) + "\xFF\n", repeated("a\n", 100)));
  EXPECT_THAT([] { read(repeated("a\n", 98) + "\xFF\n", repeated("a\n", 99)); },
              ThrowsMessage<DataError>(AllOf(HasSubstr("1 of 99"), HasSubstr("first lines: 99"))));
}

TEST(ParallelCorpusTest, PictureIsRefusedAsNotUtf8) {
  EXPECT_THAT([] { read("\x89PNG\r\n\x1A\n\0\0\0\rIHDR\n"s, "a\nb\nc\nd\ne\n"); },
              ThrowsMessage<DataError>(HasSubstr("wanted UTF-8")));
}

TEST(ParallelCorpusTest, PairWithAnEmptySideIsLeftOut) {
  const auto corpus = read("a\n\nc\n \ne\n", "a\nb\n\n\ne\n");
  EXPECT_THAT(sources(corpus), ElementsAre("a", "e"));
  EXPECT_EQ(corpus.reports().at(0).empty.count, 3);
  EXPECT_THAT(corpus.reports().at(0).empty.first_lines, ElementsAre(2, 3, 4));
}

TEST(ParallelCorpusTest, PairOverTheLimitIsLeftOut) {
  const auto corpus = read("abc\nabcd\na\nabc\n", "a\na\nabcd\nabc\n", {.max_length = 4});
  EXPECT_THAT(sources(corpus), ElementsAre("abc", "abc"));
  EXPECT_THAT(corpus.reports().at(0).too_long.first_lines, ElementsAre(2, 3));
  EXPECT_EQ(read("abc\n" + std::string(1000, 'x') + "\n", "a\nb\n", {.max_length = 0}).size(), 2);
}

TEST(ParallelCorpusTest, LineOfAMegabyteIsLeftOutEvenWithoutALimit) {
  const auto good = "a\nb\nc\n"s, bad = "a\n" + std::string(1'000'000, 'x') + "\nc\n";
  for (const auto& [source, target] : {std::pair(bad, good), std::pair(good, bad)}) {
    const auto corpus = read(source, target, {.max_length = 0});
    EXPECT_THAT(sources(corpus), ElementsAre("a", "c"));
    EXPECT_THAT(corpus.reports().at(0).too_long.first_lines, ElementsAre(2));
  }
}

TEST(ParallelCorpusTest, FiveLineNumbersOfAReasonAreKept) {
  const auto corpus = read("a\n" + repeated("\n", 9), repeated("a\n", 10));
  EXPECT_EQ(corpus.reports().at(0).empty.count, 9);
  EXPECT_THAT(corpus.reports().at(0).empty.first_lines, ElementsAre(2, 3, 4, 5, 6));
}

TEST(ParallelCorpusTest, LineEndsAndByteOrderMarkChangeNothing) {
  const auto plain = read("a\nb\n", "c\nd\n"), other = read(
                                                   "\xEF\xBB\xBF"
                                                   "a\r\nb\r\n",
                                                   "c\nd");
  EXPECT_EQ(other.hash(), plain.hash());
  EXPECT_TRUE(other.reports().at(0).crlf);
  EXPECT_FALSE(plain.reports().at(0).crlf);
  EXPECT_TRUE(read("a\n", "c\r\n").reports().at(0).crlf);
}

TEST(ParallelCorpusTest, NothingLeftIsAnError) {
  EXPECT_THAT([] { read("", ""); }, ThrowsMessage<DataError>(HasSubstr("empty files")));
  EXPECT_THAT([] { read("abc\n\n", "abc\na\n", {.max_length = 2}); },
              ThrowsMessage<DataError>(
                  AllOf(HasSubstr("none of 2 pairs"), HasSubstr("1 empty"), HasSubstr("1 longer than 2 pieces"))));
}

TEST(ParallelCorpusTest, HashTellsCorporaApart) {
  const auto hash = read("ab\nc\n", "d\ne\n").hash();
  EXPECT_EQ(hash.size(), 64u);
  EXPECT_EQ(read("ab\nc\n", "d\ne\n").hash(), hash);
  EXPECT_NE(read("a\nbc\n", "d\ne\n").hash(), hash);
  EXPECT_NE(read("d\ne\n", "ab\nc\n").hash(), hash);
  EXPECT_NE(read("c\nab\n", "e\nd\n").hash(), hash);
  EXPECT_NE(read("ab\nc\n", "d\nf\n").hash(), hash);
}

}  // namespace
}  // namespace gloss
