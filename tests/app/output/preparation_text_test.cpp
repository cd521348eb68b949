#include "app/output/preparation_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

DataCheck one_set(std::vector<Finding> findings) {
  DataCheck check;
  check.in_pieces = true;
  CorpusCheck corpus;
  corpus.pairs = 30;
  corpus.fit_pairs = 20;
  corpus.source.lines = corpus.target.lines = 30;
  corpus.source.units = 400;
  corpus.source.unknown_pieces = 10;
  check.sets.push_back({{DataSet::Use::kTest, "s", "t"}, corpus, std::move(findings)});
  return check;
}

TEST(CheckDataTextTest, TheLastLineCountsFindingsAndSaysWhatIsRefused) {
  const Finding odd{"empty", "source", "lines are empty", {2, {3, 4}}}, refused{"line_counts", "", "counts", {}, true};
  EXPECT_THAT(to_lines(one_set({})), HasSubstr("\nusable, nothing was found (whether"));
  EXPECT_THAT(to_lines(one_set({odd})), AllOf(HasSubstr("         2  source lines are empty (first lines: 3, 4)\n"),
                                              HasSubstr("\nusable, with 1 finding\n")));
  EXPECT_THAT(to_lines(one_set({odd, odd})), HasSubstr("\nusable, with 2 findings\n"));
  EXPECT_THAT(
      to_lines(one_set({odd, refused})),
      AllOf(HasSubstr("   refused  counts\n"), HasSubstr("\ntraining would refuse this\n"), Not(HasSubstr("usable"))));
}

TEST(CheckDataTextTest, UnknownPiecesAreAShareOfAllAndEightCharactersAreShown) {
  auto check = one_set({});
  auto& source = check.sets[0].corpus->source;
  for (const char32_t character : {0x41, 0xDF, 0x7FF, 0x800, 0x4E2D, 0xFFFD, 0x10000, 0x1F600})
    source.unknown_characters.emplace_back(character, 3);
  const auto eight = to_lines(check);
  EXPECT_THAT(eight, HasSubstr("test: 30 pairs, 20 of them fit for training\n"));
  EXPECT_THAT(eight, HasSubstr("  source  s: 30 lines, 400 pieces, 2.5 % unknown: A (U+0041) 3, "));
  for (const auto* shown : {"\u00DF (U+00DF) 3", "\u07FF (U+07FF) 3", "\u0800 (U+0800) 3", "\u4E2D (U+4E2D) 3",
                            "\uFFFD (U+FFFD) 3", "\U00010000 (U+10000) 3", "\U0001F600 (U+1F600) 3\n"})
    EXPECT_THAT(eight, HasSubstr(shown));
  EXPECT_THAT(eight, HasSubstr("  target  t: 30 lines, 0 pieces, 0 % unknown\n"));
  source.unknown_characters.emplace_back(U'z', 1);
  EXPECT_THAT(to_lines(check), AllOf(HasSubstr(" 3 and 1 character more\n"), Not(HasSubstr("z (U+"))));
  source.unknown_characters.emplace_back(U'y', 1);
  EXPECT_THAT(to_lines(check), HasSubstr(" 3 and 2 characters more\n"));
}

TEST(CheckDataTextTest, NounsFollowTheirNumbers) {
  auto check = one_set({});
  auto& corpus = *check.sets[0].corpus;
  corpus.pairs = corpus.fit_pairs = corpus.source.lines = corpus.source.units = 1;
  EXPECT_THAT(to_lines(check), AllOf(HasSubstr("test: 1 pair, 1 of them fit"), HasSubstr("s: 1 line, 1 piece, ")));
}

TEST(CheckDataTextTest, ASetThatCannotBeReadHasNoTexts) {
  auto check = one_set({{"unreadable", "", "t: wanted a text file", {}, true}});
  check.sets[0].corpus.reset();
  EXPECT_EQ(to_lines(check), "test\n   refused  t: wanted a text file\ntraining would refuse this\n");
}

}  // namespace
}  // namespace gloss
