#include "documents/element_placement.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/documents/model/document_helpers.h"

namespace gloss {
namespace {

std::string placed(std::string_view source, const std::string& target, const std::vector<WordPair>& links) {
  const auto text = inline_text(source);
  return with_elements(place_elements(text, target, links_of(target, text.text, links)));
}

TEST(PlaceElements, APairFollowsTheLinkedWords) {
  EXPECT_EQ(placed("the <b>red</b> car drives", "das rote Auto fährt", {{0, 0}, {1, 1}, {2, 2}, {3, 3}}),
            "das <b>rote</b> Auto fährt");
  EXPECT_EQ(placed("I <b>have seen</b> it", "ich habe es gesehen", {{0, 0}, {1, 1}, {2, 3}, {3, 2}}),
            "ich <b>habe</b> es gesehen");
  EXPECT_EQ(placed("<b>today</b> I sing", "ich singe heute", {{0, 1}, {1, 2}, {2, 0}}), "ich singe <b>heute</b>");
}

TEST(PlaceElements, PunctuationAfterAPairStaysOutside) {
  const auto source = inline_text("he <b>sings</b>.");
  const std::string target = "er singt.";
  const std::vector<AlignedSpan> links{{{0, 2}, {0, 2}}, {{3, 8}, {3, 8}}, {{8, 9}, {8, 9}}};
  EXPECT_EQ(with_elements(place_elements(source, target, links)), "er <b>singt</b>.");
}

TEST(PlaceElements, APairAroundTheWholeTextStaysAroundIt) {
  EXPECT_EQ(placed("<b>all of it</b>", "das alles", {}), "<b>das alles</b>");
  EXPECT_EQ(placed("<a><b>all of</b> it</a>", "das alles", {{0, 2}, {1, 0}}), "<a>das <b>alles</b></a>");
}

TEST(PlaceElements, AWordBetweenTwoOfAPairBelongsToIt) {
  EXPECT_EQ(placed("a <b>b c</b> d", "A B X C D", {{0, 0}, {1, 1}, {3, 2}, {4, 3}}), "A <b>B X C</b> D");
}

TEST(PlaceElements, WeakLinksDoNotStretchAPair) {
  const std::vector<WordPair> links{{0, 1, 0.2}, {1, 0}, {2, 2}, {3, 1, 0.9}};
  EXPECT_EQ(placed("a <b>b</b> c", "X A C B", links), "X A C <b>B</b>");
}

TEST(PlaceElements, APairWithoutLinkedWordsTakesTheNearestWord) {
  EXPECT_EQ(placed("a <b>b</b> c", "A C", {{0, 0}, {1, 2}}), "<b>A</b> C");
  EXPECT_EQ(placed("<a>a</a> <b>b</b>", "A", {{0, 0}}), "<a>A</a><b></b>") << "there is no other word";
}

TEST(PlaceElements, ASiblingDoesNotCross) {
  EXPECT_EQ(placed("<a>a</a> <b>b c</b>", "B A C", {{0, 1}, {1, 0}, {2, 2}}), "<b>B</b> <a>A</a> C");
}

TEST(PlaceElements, AMarkFollowsTheWordBeforeIt) {
  EXPECT_EQ(placed("one<x/> two three", "drei eins zwei", {{0, 2}, {1, 0}, {2, 1}}), "drei eins<x/> zwei");
  EXPECT_EQ(placed("<x/>one two", "zwei eins", {{0, 1}, {1, 0}}), "<x/>zwei eins");
  EXPECT_EQ(placed("one two<x/>", "zwei eins", {{0, 1}, {1, 0}}), "zwei eins<x/>");
}

TEST(PlaceElements, ElementsInOrderStayInOrder) {
  EXPECT_EQ(placed("one<W1/> two<W2/> three", "zwei eins drei", {{0, 1}, {1, 0}, {2, 2}}), "zwei eins<W1/><W2/> drei");
  EXPECT_EQ(placed("one<w1/> two<w2/> three", "zwei eins drei", {{0, 1}, {1, 0}, {2, 2}}), "zwei<w2/> eins<w1/> drei");
}

TEST(PlaceElements, WorksWithoutSpacesBetweenWords) {
  const auto source = inline_text("I love <b>China</b>");
  const std::string target = "我爱中国";
  const std::vector<AlignedSpan> links{{{0, 3}, {0, 1}}, {{3, 6}, {2, 6}}, {{6, 12}, {7, 12}}};
  EXPECT_EQ(with_elements(place_elements(source, target, links)), "我爱<b>中国</b>");
}

TEST(PlaceElements, WithoutTargetTextKeepsThemAll) { EXPECT_EQ(placed("a <b>b</b><x/>", "", {}), "<b></b><x/>"); }

/// Draws texts with nested pairs, marks and words, and any links.
class RandomInline {
 public:
  explicit RandomInline(unsigned seed) : random_(seed) {}

  int below(int n) { return std::uniform_int_distribution(0, n - 1)(random_); }
  std::string text(int words) {
    std::string result;
    for (int i = 0; i < words; ++i) result += (i > 0 ? " w" : "w") + std::to_string(i);
    return result;
  }
  std::string marked(int depth) {
    std::string result;
    for (int i = below(6); i >= 0; --i) {
      const int kind = below(depth > 0 ? 8 : 6);
      if (kind == 0) result += "<x/>";
      if (kind == 1) result += "<w/>";
      if (kind == 2) result += "<W" + std::to_string(++number_) + "/>";
      if (kind >= 3 && kind < 6) result += " w. "[below(4)] + std::string("word ");
      if (kind >= 6) result += "<b>" + marked(depth - 1) + "</b>";
    }
    return result;
  }

 private:
  std::mt19937 random_;
  int number_ = 0;
};

std::map<std::string, int> markup_of(const InlineText& text) {
  std::map<std::string, int> counts;
  for (const auto& element : text.elements) ++counts[element.text];
  return counts;
}

TEST(PlaceElements, KeepsEveryElementOnceWellNestedAndInOrder) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomInline random(seed);
    const auto source = inline_text(random.marked(3));
    const auto target = random.text(random.below(8));
    const auto targets = spaced_words(target), sources = spaced_words(source.text);
    std::vector<AlignedSpan> links;
    for (std::size_t t = 0; t < targets.size() && !sources.empty(); ++t)
      if (random.below(4) > 0)
        links.push_back({targets[t], sources[static_cast<std::size_t>(random.below(static_cast<int>(sources.size())))],
                         0.1 * (1 + random.below(10))});
    const auto result = place_elements(source, target, links);
    ASSERT_TRUE(is_well_nested(result)) << with_elements(source) << " -> " << with_elements(result);
    EXPECT_EQ(markup_of(result), markup_of(source));
    EXPECT_EQ(result.text, target);
    std::vector<std::string> before, after;
    for (const auto& element : source.elements)
      if (element.in_order) before.push_back(element.text);
    for (const auto& element : result.elements)
      if (element.in_order) after.push_back(element.text);
    EXPECT_EQ(after, before) << with_elements(source) << " -> " << with_elements(result);
  }
}

TEST(PlaceElements, AnElementBeforeAFullStopStaysBeforeIt) {
  const auto source = inline_text("and <w/>. So");
  const std::string target = "und.. Also";
  const std::vector<AlignedSpan> links{{{0, 3}, {5, 6}}, {{3, 5}, {0, 3}, 4}, {{6, 10}, {7, 9}}};
  EXPECT_EQ(with_elements(place_elements(source, target, links)), "und<w/>.. Also");
  EXPECT_EQ(with_elements(place_elements(inline_text("and <w/> so"), target, links)), "und.<w/>. Also");
}

TEST(PlaceElements, PairsDoNotEndWithinAWordWithAHyphen) {
  const auto source = inline_text("<b>outdoor</b> match");
  const std::string target = "Im Freiluft-Spiel";
  const std::vector<AlignedSpan> links{
      {{0, 2}, {8, 13}}, {{3, 11}, {0, 7}, 4}, {{11, 12}, {0, 7}}, {{12, 17}, {8, 13}}};
  EXPECT_EQ(with_elements(place_elements(source, target, links)), "Im <b>Freiluft-Spiel</b>");
  EXPECT_EQ(with_elements(place_elements(source, "Freiluft - Spiel", {})), "<b>Freiluft</b> - Spiel");
}

TEST(LinksInProportion, NameTheWordsAtTheSameShare) {
  const std::string source = "a b c d", target = "A B";
  const auto links = links_in_proportion(source, target);
  ASSERT_EQ(links.size(), 2u);
  EXPECT_EQ(links[0].source.of(source), "b");
  EXPECT_EQ(links[1].source.of(source), "d");
  EXPECT_EQ(
      with_elements(place_elements(inline_text("a <b>b c</b> d"), "A B C D", links_in_proportion(source, "A B C D"))),
      "A <b>B C</b> D");
  EXPECT_TRUE(links_in_proportion("", "a").empty());
  EXPECT_TRUE(links_in_proportion("a", " ").empty());
}

TEST(PlaceElements, OfHostileDepthAreInProportion) {
  std::string marked;
  for (int i = 0; i < 5000; ++i) marked += "<b>";
  marked += "word";
  for (int i = 0; i < 5000; ++i) marked += "</b>";
  const auto result = place_elements(inline_text(marked), "Wort", {});
  EXPECT_TRUE(is_well_nested(result));
  EXPECT_EQ(with_elements(result), std::string(marked).replace(marked.find("word"), 4, "Wort"));
}

TEST(TextAtoms, AreWordsSignsAndSingleCharactersOfUnspacedScripts) {
  const std::string_view text = "He's 中国!";
  std::vector<std::string> atoms;
  for (const auto& atom : text_atoms(text)) atoms.emplace_back(atom.of(text));
  EXPECT_THAT(atoms, testing::ElementsAre("He", "'", "s", "中", "国", "!"));
}

}  // namespace
}  // namespace gloss
