#include "data/encode_corpus.h"

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "data/parallel_corpus.h"
#include "tests/data/letter_tokenizer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

const LetterTokenizer kAlphabet;
constexpr int kLines = 10'000;  // more than the tasks below take at once

// Writes good lines with some empty, long, broken and overlong ones among them.
std::string text(int offset) {
  std::string text;
  for (int i = 0; i < kLines; ++i) {
    const int kind = (i + offset) % 997;
    if (kind == 0)
      text += "";
    else if (kind == 1)
      text += std::string(300, 'l');
    else if (kind == 2)
      text += "\xff";
    else if (kind == 3)
      text += std::string(70'000, 'o');
    else
      text += std::to_string(i * offset);
    text += '\n';
  }
  return text;
}

struct Encoded {
  std::string file;
  std::vector<CorpusReport> reports;
};

Encoded encode(const std::vector<TextFiles>& texts, int threads, const Tokenizer& tokenizer = kAlphabet) {
  Encoded encoded;
  CorpusWriter writer(
      [&](std::span<const std::byte> bytes) {
        encoded.file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      },
      tokenizer.vocabulary_size(), 256);
  encoded.reports =
      encode_corpus(texts, tokenizer, tokenizer, {.max_length = 256, .before_pair = {}, .threads = threads}, writer);
  writer.finish({}, encoded.reports);
  return encoded;
}

TextFiles files_of(const CorpusFiles& files) { return {files.source(), files.target()}; }

TEST(EncodeCorpusTest, AnyNumberOfThreadsGivesTheSameFile) {
  const CorpusFiles files(text(1), text(7));
  const auto wanted = encode({files_of(files)}, 1);
  EXPECT_EQ(wanted.reports.at(0).lines, kLines);
  EXPECT_EQ(wanted.reports.at(0).empty.count, 20);
  EXPECT_THAT(wanted.reports.at(0).invalid_utf8.first_lines, ElementsAre(2, 993, 999, 1990, 1996))
      << "in order of the lines";
  for (const int threads : {2, 3, 7}) EXPECT_TRUE(encode({files_of(files)}, threads).file == wanted.file) << threads;
}

TEST(EncodeCorpusTest, SeveralTextsFollowEachOtherAndEachHasAReport) {
  const CorpusFiles a("a\n\nb\n", "A\nB\nC\n"), b("c\n", "D\r\n");
  const std::vector texts{files_of(a), files_of(b), files_of(a)};
  for (const int threads : {1, 3}) {
    const auto corpus = ParallelCorpus::read(texts, kAlphabet, kAlphabet, {.threads = threads});
    ASSERT_EQ(corpus.size(), 5);
    for (std::int64_t i = 0; i < 5; ++i)
      EXPECT_EQ(corpus.source(i).front(), kAlphabet.encode(std::string(1, "abcab"[i])).front());
    ASSERT_EQ(corpus.reports().size(), 3u);
    EXPECT_EQ(corpus.reports()[0].pairs, 2);
    EXPECT_EQ(corpus.reports()[0].lines, 3);
    EXPECT_EQ(corpus.reports()[1].pairs, 1);
    EXPECT_THAT(corpus.reports()[0].empty.first_lines, ElementsAre(2));
    EXPECT_THAT(corpus.reports()[2].empty.first_lines, ElementsAre(2)) << "lines are counted in each text";
    EXPECT_FALSE(corpus.reports()[0].crlf);
    EXPECT_TRUE(corpus.reports()[1].crlf);
  }
}

/// Adds an id to the front, as the tokenizer of a language does.
class TaggingTokenizer final : public Tokenizer {
 public:
  Ids encode(std::string_view line) const override {
    auto ids = kAlphabet.encode(line);
    ids.insert(ids.begin(), 4);
    return ids;
  }
  std::optional<Id> tag() const override { return 4; }
  std::string decode(std::span<const Id> ids) const override { return kAlphabet.decode(ids); }
  std::int64_t vocabulary_size() const override { return kAlphabet.vocabulary_size(); }
  const std::string& serialized() const override { return kAlphabet.serialized(); }
  const Tokenizer& untagged() const override { return kAlphabet; }
};

TEST(EncodeCorpusTest, LinksFollowTheirPairs) {
  const CorpusFiles files("abc\n\nab\nabcdef\nc\n", "A\nB\nCDE\nF\nG\n");
  const std::string alignment = "2-0 0-0\n7-7\n1-2\nno links\n\n";  // pairs that are left out are not read
  const std::vector<std::int64_t> all{0, 1, 2};
  for (const int threads : {1, 3}) {
    const auto batch = read_with_links(files, alignment, kAlphabet, {.max_length = 5, .threads = threads}).batch(all);
    ASSERT_EQ(batch.links.size(), 3u);
    EXPECT_THAT(batch.links[0].source, ElementsAre(0, 2));
    EXPECT_THAT(batch.links[0].target, ElementsAre(0, 0));
    EXPECT_THAT(batch.links[1].source, ElementsAre(1));
    EXPECT_THAT(batch.links[1].target, ElementsAre(2));
    EXPECT_TRUE(batch.links[2].source.empty());
  }
  const auto tagged = read_with_links(files, alignment, TaggingTokenizer(), {.max_length = 5}).batch(all);
  EXPECT_THAT(tagged.links[0].source, ElementsAre(1, 3)) << "a tag is no piece of the alignment";
  EXPECT_THAT(tagged.links[0].target, ElementsAre(0, 0));
}

TEST(EncodeCorpusTest, LinksThatDoNotFitAreRefusedByTheirLine) {
  const CorpusFiles files("abc\nab\nabcdef\n", "A\nB\nC\n");
  const auto refuses = [&](const std::string& alignment, const std::string& message) {
    EXPECT_THAT([&] { read_with_links(files, alignment, kAlphabet); },
                ThrowsMessage<DataError>(AllOf(HasSubstr("links"), HasSubstr(message))));
  };
  refuses("2-0\n2-0\n0-0\n", "line 2: wanted links of the 2 and 1 pieces of the pair, from 0, got 2-0");
  refuses("2-0\n\n0-0 x\n", "line 3: wanted links such as 0-0 1-2, got x");
  refuses("2-0\n\n", "links 2;");
  refuses("2-0\n\n\n\n", "links 4;");
}

TEST(EncodeCorpusTest, TargetsEndWithEosAndSourcesUnlessTheNetworkReadsNone) {
  const CorpusFiles files("ab\n", "c\n");
  for (const bool ends : {true, false}) {
    const LetterTokenizer source(ends);
    const auto corpus = ParallelCorpus::read(files.source(), files.target(), source, kAlphabet, {});
    auto wanted = kAlphabet.encode("ab");
    if (ends) wanted.push_back(kEos);
    EXPECT_EQ(corpus.source(0), wanted);
    EXPECT_EQ(corpus.target(0).back(), kEos);
  }
}

TEST(EncodeCorpusTest, ATextWithoutAUsablePairIsRefusedByName) {
  const CorpusFiles good("a\n", "b\n"), bad("\n\n", "b\nc\n"), uneven("a\n", "b\nc\n");
  EXPECT_THAT(
      [&] {
        encode({files_of(good), files_of(bad)}, 1);
      },
      ThrowsMessage<DataError>(AllOf(HasSubstr(bad.source().string()), HasSubstr("none of 2 pairs"))));
  EXPECT_THAT(
      [&] {
        encode({files_of(good), files_of(uneven)}, 1);
      },
      ThrowsMessage<DataError>(HasSubstr(uneven.target().string() + " 2;")));
}

TEST(EncodeCorpusTest, FiltersSkipPairsAndTheReportHasTheReasons) {
  const CorpusFiles a("abc\nx\nd\nabc\n\nd\n", "A\nx\nD\nA\nB\nD\n"), b("d\ne\nx\ne\n", "D\nE\nx\nE\n");
  const std::vector texts{files_of(a), files_of(b)};
  const auto read = [&](const PairFilters& filters, RepeatedPairs* repeated) {
    return ParallelCorpus::read(texts, kAlphabet, kAlphabet, {.filters = filters, .repeated = repeated});
  };
  RepeatedPairs together({{}, {0}}), apart({{}, {}});
  const auto corpus = read({.max_ratio = 2, .skip_copied = true}, &together);
  ASSERT_EQ(corpus.size(), 2);
  EXPECT_EQ(kAlphabet.decode(corpus.source(0)), "d");
  EXPECT_EQ(kAlphabet.decode(corpus.source(1)), "e");
  const auto &first = corpus.reports()[0], &second = corpus.reports()[1];
  EXPECT_THAT(first.ratio.first_lines, ElementsAre(1, 4));
  EXPECT_THAT(first.copied.first_lines, ElementsAre(2));
  EXPECT_THAT(first.empty.first_lines, ElementsAre(5));
  EXPECT_THAT(first.repeated.first_lines, ElementsAre(6));
  EXPECT_THAT(second.repeated.first_lines, ElementsAre(1, 4)) << "text 1 is compared with text 0";
  EXPECT_THAT(second.copied.first_lines, ElementsAre(3));
  EXPECT_THAT(read({}, &apart).reports()[1].repeated.first_lines, ElementsAre(4));
  EXPECT_EQ(read({}, nullptr).size(), 9) << "no filter";
}

TEST(EncodeCorpusTest, RepetitionsAreTheSameOnAnyNumberOfThreads) {
  std::string lines;
  for (int i = 0; i < kLines; ++i) lines += std::to_string(i % 3001) + '\n';
  const CorpusFiles files(lines, lines);
  for (const int threads : {1, 3}) {
    RepeatedPairs repeated(std::vector<std::vector<std::size_t>>(1));
    const auto corpus = ParallelCorpus::read(files.source(), files.target(), kAlphabet, kAlphabet,
                                             {.threads = threads, .repeated = &repeated});
    EXPECT_EQ(corpus.size(), 3001);
    EXPECT_EQ(corpus.reports().at(0).repeated.count, kLines - 3001);
    EXPECT_EQ(corpus.reports().at(0).repeated.first_lines.at(0), 3002);
  }
}

TEST(EncodeCorpusTest, ATextOfWhichFiltersLeaveNothingIsRefusedWithTheirCounts) {
  const CorpusFiles files("a\nabc\n", "a\nA\n");
  EXPECT_THAT(
      [&] {
        ParallelCorpus::read(files.source(), files.target(), kAlphabet, kAlphabet,
                             {.filters = {.max_ratio = 2, .skip_copied = true}});
      },
      ThrowsMessage<DataError>(HasSubstr("0 not UTF-8, 1 above data.max_ratio, 1 copied")));
}

// Throws at one line, and counts the lines before.
class FailingTokenizer final : public Tokenizer {
 public:
  Ids encode(std::string_view line) const override {
    ++lines;
    if (line == "5000") throw ModelError("line 5000");
    return kAlphabet.encode(line);
  }
  std::string decode(std::span<const Id> ids) const override { return kAlphabet.decode(ids); }
  std::int64_t vocabulary_size() const override { return kAlphabet.vocabulary_size(); }
  const std::string& serialized() const override { return kAlphabet.serialized(); }

  mutable std::atomic<int> lines = 0;
};

TEST(EncodeCorpusTest, AnExceptionOfATaskEndsTheReadingSoonAfter) {
  const CorpusFiles files(text(1), text(1));
  const FailingTokenizer tokenizer;
  int read = 0;
  CorpusWriter writer([](std::span<const std::byte>) {}, 1000, 256);
  EXPECT_THROW(encode_corpus(std::vector{files_of(files)}, tokenizer, tokenizer,
                             {.max_length = 256, .before_pair = [&] { ++read; }, .threads = 2}, writer),
               ModelError);
  EXPECT_GT(read, 5000);
  EXPECT_LE(read, 5000 + 2 * 2048 + 1);
}

}  // namespace
}  // namespace gloss
