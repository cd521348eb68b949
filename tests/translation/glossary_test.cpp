#include "translation/glossary.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

class GlossaryTest : public testing::Test {
 protected:
  TermList read(const std::string& text) const {
    std::ofstream(folder_ / "glossary", std::ios::binary) << text;
    return TermList::read(folder_ / "glossary");
  }
  /// The sources that stand in a line.
  static std::vector<std::string> found(const TermList& glossary, const std::string& line) {
    std::vector<std::string> sources;
    for (const auto& place : glossary.find(line)) sources.push_back(glossary.entries()[place.entry].source);
    return sources;
  }
  void expect_refused(const std::string& text, const std::string& why) const {
    EXPECT_THAT([&] { read(text); }, ThrowsMessage<DataError>(AllOf(HasSubstr("glossary: line 2: "), HasSubstr(why))))
        << text;
  }

  TemporaryFolder folder_;
};

TEST_F(GlossaryTest, WhatEndsBehindTheEndDoesNotCount) {
  const auto glossary = read("a b\tx\nc\ty\nc d\tz\n");
  const std::string line = "  a  b   c d c";
  const TermList::Occurrence a_b{0, 2, 6}, c_d{2, 9, 12}, c{1, 13, 14};
  EXPECT_THAT(glossary.find(line), ElementsAre(a_b, c_d, c));
  EXPECT_THAT(glossary.find(line, 13), ElementsAre(a_b, c_d));
  EXPECT_THAT(glossary.find(line, 11), ElementsAre(a_b));  // in the midst of "c d"
  EXPECT_THAT(glossary.find(line, 6), ElementsAre(a_b));
  EXPECT_THAT(glossary.find(line, 5), IsEmpty());
  EXPECT_THAT(glossary.find(line, 100), ElementsAre(a_b, c_d, c));
}

TEST_F(GlossaryTest, HasTheEntriesOfTheFile) {
  const auto glossary = read("# source\n\n  dog \t der   Vierbeiner \r\n#tag\tMarke\n \nsee  also\tsiehe auch");
  ASSERT_EQ(glossary.entries().size(), 3u);
  EXPECT_EQ(glossary.entries()[0].source, "dog");
  EXPECT_EQ(glossary.entries()[0].target, "der Vierbeiner");
  EXPECT_EQ(glossary.entries()[0].number, 3);
  EXPECT_EQ(glossary.entries()[1].source, "#tag");
  EXPECT_EQ(glossary.entries()[2].source, "see also");
}

TEST_F(GlossaryTest, BadLinesAreNamed) {
  expect_refused("a\tb\nno tab\n", "wanted a source phrase, a tab and a target phrase, got \"no tab\"");
  expect_refused("a\tb\n\tb\n", "a tab");
  expect_refused("a\tb\nc\t \n", "a tab");
  expect_refused("a\tb\n\t\n", "a tab");
  expect_refused("a\tb\nc\td\te\n", "a tab");
  expect_refused("a\tb\nc\t\xff\n", "UTF-8");
  expect_refused(std::string("a\tb\nc\t\0\n", 8), "UTF-8");
  expect_refused("a\tb\nc\t" + std::string(1 << 17, 'x') + "\n", "bytes");
  expect_refused("a\tb\na \tc\n", "another than in line 1");
}

TEST_F(GlossaryTest, TheSameEntryTwiceIsOne) { EXPECT_EQ(read("a\tb\nc\td\na\tb\n").entries().size(), 2u); }

TEST_F(GlossaryTest, FindsWholeWordsInTheirSpelling) {
  const auto glossary = read("dog\tHund\nhot dog\tWurst\nU.S.\tUSA\n");
  EXPECT_THAT(found(glossary, "A dog, a god and two dogs."), ElementsAre("dog"));
  EXPECT_THAT(found(glossary, "hotdog dogma bulldog"), IsEmpty());
  EXPECT_THAT(found(glossary, "dog"), ElementsAre("dog"));
  EXPECT_THAT(found(glossary, "(dog)-dog's"), ElementsAre("dog", "dog"));
  EXPECT_THAT(found(glossary, "in the U.S.now"), ElementsAre("U.S."));
  EXPECT_THAT(found(glossary, ""), IsEmpty());
}

TEST_F(GlossaryTest, CaseCountsIfTheSourceHasACapital) {
  const auto glossary = read("dog\tHund\nüber öl\tover oil\nPolish\tpolnisch\nпёс\tdog\n");
  EXPECT_THAT(found(glossary, "Dog DOG dOg"), ElementsAre("dog", "dog", "dog"));
  EXPECT_THAT(found(glossary, "ÜBER Öl, Пёс ПЁС"), ElementsAre("über öl", "пёс", "пёс"));
  EXPECT_THAT(found(glossary, "polish POLISH Polish"), ElementsAre("Polish"));
  const auto both = read("polish\tpolieren\nPolish\tpolnisch\npolish food\tx\n");
  EXPECT_THAT(found(both, "Polish polish, POLISH Food"), ElementsAre("Polish", "polish", "polish food"));
}

TEST_F(GlossaryTest, DecomposedSpellingsAreTheSame) {
  const std::string composed = "für Bjo\u0308rn", decomposed = "fu\u0308r  Bj\u00f6rn.";
  const auto glossary = read("für Björn\tx\nça\ty\n");
  EXPECT_THAT(glossary.find(decomposed), ElementsAre(TermList::Occurrence{0, 0, 13}));
  EXPECT_THAT(glossary.find(composed), ElementsAre(TermList::Occurrence{0, 0, 12}));
  EXPECT_THAT(found(read("c\u0327a\ty\n"), "ÇA"), ElementsAre("ça"));
  EXPECT_THAT(read("ca\tx\n").find("c\u0327a"), IsEmpty());
  EXPECT_THAT(found(glossary, "\u0308 \u0327"), IsEmpty());
}

TEST_F(GlossaryTest, IfALongerSourceEndsWithinAWordAShorterOneIsFound) {
  const auto glossary = read("a\tx\na b\tx\na bc\tx\na bcde\tx\nab\tx\n");
  EXPECT_THAT(found(glossary, "a bcd"), ElementsAre("a"));
  EXPECT_THAT(found(glossary, "a bc, a b ab abc"), ElementsAre("a bc", "a b", "ab"));
}

// A source of each length, all of which begin alike, as does the line.
TEST_F(GlossaryTest, TheLongestIsFoundAmongSourcesThatBeginAlike) {
  std::string entries, source = "a";
  for (int i = 0; i < 300; ++i, source += i % 3 == 0 ? " b" : "a") entries += source + "\tx" + std::to_string(i) + "\n";
  const auto glossary = read(entries);
  for (const auto i : {0, 7, 150, 299}) {
    const auto& entry = glossary.entries()[static_cast<std::size_t>(i)];
    EXPECT_THAT(found(glossary, entry.source), ElementsAre(entry.source));
    EXPECT_THAT(found(glossary, entry.source + "-c"), ElementsAre(entry.source));
  }
}

TEST_F(GlossaryTest, TheLongestAtAPlaceAndNoneOverlaps) {
  const auto glossary = read("dog\tHund\nhot dog\tWurst\nhot dog stand\tBude\nstand still\tsteht\n");
  EXPECT_THAT(found(glossary, "the hot dog stand still"), ElementsAre("hot dog stand"));
  EXPECT_THAT(found(glossary, "hot dogs, hot dog, dog"), ElementsAre("hot dog", "dog"));
  EXPECT_THAT(found(glossary, "dog dog hot hot dog"), ElementsAre("dog", "dog", "hot dog"));
}

TEST_F(GlossaryTest, RunsOfSpacesAreOneSpace) {
  EXPECT_THAT(found(read("hot dog\tWurst\n"), "a hot \t  dog"), ElementsAre("hot dog"));
}

TEST_F(GlossaryTest, WithoutSpacesBetweenWordsEveryPlaceIsABorder) {
  const auto glossary = read("狗\tdog\n热狗\tsausage\nTシャツ\tshirt\n");
  EXPECT_THAT(found(glossary, "我的狗吃热狗。"), ElementsAre("狗", "热狗"));
  EXPECT_THAT(found(glossary, "そのTシャツが"), ElementsAre("Tシャツ"));
  EXPECT_THAT(found(glossary, "XTシャツ"), IsEmpty());
}

}  // namespace
}  // namespace gloss
