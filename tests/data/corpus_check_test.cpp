#include "data/corpus_check.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/random.h"
#include "tests/data/letter_tokenizer.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::Pair;

class CorpusCheckTest : public testing::Test {
 protected:
  CorpusCheck check(const std::vector<std::string>& source, const std::vector<std::string>& target,
                    CorpusCheckOptions options = {}) {
    write("source", source);
    write("target", target);
    return check_corpus(folder_ / "source", folder_ / "target", options);
  }
  void write(const std::string& name, const std::vector<std::string>& lines) {
    std::ofstream file(folder_ / name);
    for (const auto& line : lines) file << line << '\n';
  }

  TemporaryFolder folder_;
};

TEST_F(CorpusCheckTest, ACopiedAndARepeatedPairAreNoted) {
  const auto found = check({"a", "b", "a", "a", "c", "b"}, {"A", "b", "A", "X", "c", "b"});
  EXPECT_THAT(found.copied.first_lines, ElementsAre(2, 5, 6));
  EXPECT_THAT(found.repeated.first_lines, ElementsAre(3, 6)) << "not line 4, which has another target";
  EXPECT_EQ(found.pairs, 6);
  EXPECT_EQ(found.fit_pairs, 6);
}

TEST_F(CorpusCheckTest, PairsThatTrainingLeavesOutAreNotCompared) {
  std::vector<std::pair<std::string, std::int64_t>> seen;
  const auto found =
      check({"", "x\xff", "a b c", "a", "\u200b \u3000"}, {"", "x", "a", "a", "b"},
            {.max_length = 3, .for_pair = [&](std::string_view source, std::string_view, std::int64_t line) {
               seen.emplace_back(source, line);
             }});
  EXPECT_THAT(found.empty.first_lines, ElementsAre(1, 5));
  EXPECT_THAT(found.invalid.first_lines, ElementsAre(2));
  EXPECT_THAT(found.too_long.first_lines, ElementsAre(3));
  EXPECT_THAT(found.copied.first_lines, ElementsAre(4));
  EXPECT_THAT(seen, ElementsAre(Pair("a", 4)));
  EXPECT_EQ(found.fit_pairs, 1);
}

TEST_F(CorpusCheckTest, PiecesAndWordsAreCountedWithEos) {
  const auto letters = std::make_shared<LetterTokenizer>();
  CorpusCheckOptions options{.source = letters, .target = letters, .max_length = 4};
  EXPECT_THAT(check({"abc", "abcd"}, {"a", "a"}, options).too_long.first_lines, ElementsAre(2));
  options.source = options.target = nullptr;
  EXPECT_THAT(check({"a b c", "a b c d"}, {"a", "a"}, options).too_long.first_lines, ElementsAre(2));
}

TEST_F(CorpusCheckTest, LengthsAreComparedInPiecesOrCharactersIfTheyAreLongEnough) {
  const auto letters = std::make_shared<LetterTokenizer>();
  CorpusCheckOptions options{.source = letters, .target = letters};
  const std::string twelve(12, 'a'), thirteen(13, 'a');
  EXPECT_THAT(check({twelve, thirteen, "abc"}, {"abc", "abc", thirteen}, options).ratio.first_lines, ElementsAre(2, 3));
  EXPECT_THAT(check({"aaaaaaaaa", "aaaaaaaaaa"}, {"a", "a"}, options).ratio.first_lines, ElementsAre(2));
  options.max_ratio = 20;
  EXPECT_EQ(check({thirteen}, {"a"}, options).ratio.count, 0);
  const std::string many = std::string(44, 'a') + "äää", few = "äaaaa";
  EXPECT_THAT(check({many, many}, {few, few + "a"}).ratio.first_lines, ElementsAre(1)) << "47 characters and 5, then 6";
}

TEST_F(CorpusCheckTest, PairsThatFiltersSkipAreNotedAndNotCompared) {
  const auto letters = std::make_shared<LetterTokenizer>();
  std::vector<std::int64_t> seen;
  RepeatedPairs repeated({{}, {0}});
  CorpusCheckOptions options{.source = letters, .target = letters, .filters = {.max_ratio = 2, .skip_copied = true}};
  options.repeated = &repeated;
  options.for_pair = [&](std::string_view, std::string_view, std::int64_t line) { seen.push_back(line); };
  const auto first = check({"abc", "x", "d", "d"}, {"A", "x", "D", "D"}, options);
  EXPECT_THAT(first.skipped_ratio.first_lines, ElementsAre(1));
  EXPECT_THAT(first.skipped_copied.first_lines, ElementsAre(2));
  EXPECT_THAT(first.skipped_repeated.first_lines, ElementsAre(4));
  EXPECT_EQ(first.fit_pairs, 1);
  EXPECT_THAT(seen, ElementsAre(3));
  EXPECT_EQ(first.copied.count + first.repeated.count + first.ratio.count, 0) << "they are skipped already";
  options.text = 1;
  EXPECT_THAT(check({"d", "e"}, {"D", "E"}, options).skipped_repeated.first_lines, ElementsAre(1)) << "of text 0";
}

TEST_F(CorpusCheckTest, ShiftedAndExchangedLinesAreNoted) {
  std::vector<std::string> source, target;
  for (std::size_t i = 0; i < 400; ++i) {
    const auto words = 1 + i * 7 % 11;
    source.emplace_back("the dog");
    target.emplace_back("der Hund");
    for (std::size_t word = 0; word < words; ++word) source.back() += " sleeps there", target.back() += " schläft dort";
  }
  std::swap(source[40], target[40]);
  std::rotate(target.begin() + 200, target.begin() + 201, target.end());
  const auto found = check(source, target);
  EXPECT_THAT(found.exchanged.first_lines, ElementsAre(41));
  ASSERT_EQ(found.shifted.size(), 1);
  EXPECT_EQ(found.shifted[0].first, 201);
  EXPECT_EQ(found.shifted[0].shift, -1);
}

TEST_F(CorpusCheckTest, ThreeSentencesAgainstOneAreNoted) {
  const std::string three = "A man sleeps. A dog runs. It rains.", one = "Ein Mann schläft.";
  const auto found = check({three, one, "A man sleeps. It rains.", three, three, three},
                           {one, three, one, one + " Ein Hund läuft.", "Ein Mann und kein Punkt", three});
  EXPECT_THAT(found.sentences.first_lines, ElementsAre(1, 2));
}

TEST_F(CorpusCheckTest, WordsAreNotComparedByTheFilterOfPieces) {
  const CorpusCheckOptions options{.filters = {.max_ratio = 2}};
  EXPECT_EQ(check({"a b c d e"}, {"abcde"}, options).fit_pairs, 1);
}

TEST_F(CorpusCheckTest, TheLongerTextIsReadToItsEnd) {
  const auto found = check({"a", "b", "c\x01"}, {"A"});
  EXPECT_EQ(found.pairs, 1);
  EXPECT_EQ(found.source.lines, 3);
  EXPECT_EQ(found.target.lines, 1);
  EXPECT_THAT(found.source.control.first_lines, ElementsAre(3));
}

TEST_F(CorpusCheckTest, HeldOutPairsAreFoundInTraining) {
  HeldOutPairs held_out;
  held_out.add("a", "A", 1);
  held_out.add("b", "B", 3);
  held_out.add("c", "C", 4);
  held_out.add("a", "A", 7);
  held_out.compare("b", "other");
  held_out.compare("a", "A");
  held_out.compare("d", "C");
  EXPECT_THAT(held_out.pairs_in_training().first_lines, ElementsAre(1, 7));
  EXPECT_THAT(held_out.sources_in_training().first_lines, ElementsAre(3));
}

/// Length of the source and the target of line n of an ordinary text.
struct Lengths {
  std::int64_t source, target;
};
Lengths lengths_of(std::uint64_t line) {
  const auto random = [&](std::uint64_t i) {
    return static_cast<std::int64_t>((line * 2654435761U + i * 40503U) >> 7);
  };
  const auto source = 20 + random(0) % 100;
  return {source, source + random(1) % 15};
}

TEST(LengthShiftsTest, OrdinaryTextIsNotShifted) {
  LengthShifts lengths;
  for (std::uint64_t line = 0; line < 2'000; ++line) lengths.add(lengths_of(line).source, lengths_of(line).target);
  EXPECT_TRUE(lengths.shifted().empty());
}

TEST(LengthShiftsTest, ShiftedHalfIsFoundWithItsBeginning) {
  for (const int shift : {1, -1, 2}) {
    LengthShifts lengths;
    for (std::uint64_t line = 0; line < 1'200; ++line) {
      const auto other = line < 600 ? line : line - static_cast<std::uint64_t>(shift);
      lengths.add(lengths_of(line).source, lengths_of(other).target);
    }
    const auto ranges = lengths.shifted();
    ASSERT_EQ(ranges.size(), 1U) << shift;
    EXPECT_EQ(ranges[0].shift, shift);
    EXPECT_EQ(ranges[0].first, 601);
    EXPECT_EQ(ranges[0].last, 1'200);
  }
}

TEST(LengthShiftsTest, LinesOfEqualOrUnrelatedLengthAreNotShifted) {
  LengthShifts equal, unrelated;
  for (std::uint64_t line = 0; line < 1'000; ++line) {
    equal.add(30, 30);
    unrelated.add(lengths_of(line).source, lengths_of(line * 77 + 5).source);
  }
  EXPECT_TRUE(equal.shifted().empty());
  EXPECT_TRUE(unrelated.shifted().empty());
}

class SideLanguagesTest : public testing::Test {
 protected:
  SideLanguagesTest() {
    for (int i = 0; i < 200; ++i) {
      languages_.count("the old dog is running with the children through the snow", kGerman);
      languages_.count("two women are standing at the street and talking",
                       "zwei Frauen stehen an der Straße und reden");
    }
    for (int i = 0; i < 20; ++i) languages_.count(kGerman, "the old dog is running with the children");
  }
  static constexpr auto kGerman = "der alte Hund rennt mit den Kindern durch den Schnee";

  SideLanguages languages_;
};

TEST_F(SideLanguagesTest, ExchangedPairIsFound) {
  EXPECT_TRUE(languages_.is_exchanged("die Frauen rennen mit den Kindern an der Straße",
                                      "the women are running with the children at the street"));
  EXPECT_FALSE(languages_.is_exchanged("the women are running with the children at the street",
                                       "die Frauen rennen mit den Kindern an der Straße"));
}

TEST_F(SideLanguagesTest, CopiesAndShortPairsAreNotExchanged) {
  EXPECT_FALSE(languages_.is_exchanged(kGerman, kGerman));
  EXPECT_FALSE(languages_.is_exchanged("the old dog is running", "the old dog is running"));
  EXPECT_FALSE(languages_.is_exchanged("der Hund", "the dog"));
}

}  // namespace
}  // namespace gloss
