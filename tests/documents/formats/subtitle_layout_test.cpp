#include "documents/formats/subtitle_layout.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/text/terminal_text.h"
#include "tests/documents/model/document_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Returns cues of the parts of a source, each of which is shown for some seconds.
std::vector<CueSlot> slots_of(const std::vector<std::string>& parts, double seconds = 4) {
  std::vector<CueSlot> slots;
  std::size_t begin = 0;
  for (const auto& part : parts) {
    slots.push_back({{begin, begin + part.size()}, {begin, begin + part.size()}, seconds});
    begin += part.size() + 1;
  }
  return slots;
}

std::vector<std::string> laid_out(const InlineText& target, const std::vector<std::string>& parts,
                                  const std::vector<AlignedSpan>& links = {}, double seconds = 4) {
  std::vector<std::string> texts;
  for (const auto& part : lay_out_cues({target, links}, slots_of(parts, seconds))) {
    EXPECT_TRUE(std::ranges::is_sorted(part.elements, {}, &InlineElement::offset));
    texts.push_back(with_elements(part));
  }
  return texts;
}

/// Makes the elements those of the passage, at bytes from `begin` on.
InlineText of_passage(InlineText text, std::size_t begin = 0) {
  for (auto& element : text.elements) {
    element.source = {begin, begin + 1};
    ++begin;
  }
  return text;
}

TEST(SubtitleLayout, CutsFollowTheShareOfTheSource) {
  EXPECT_THAT(laid_out({"aa bb cc dd ee ff", {}}, {"aaaa bbbb", "cc"}), ElementsAre("aa bb cc dd ee", "ff"));
  EXPECT_THAT(laid_out({"aa bb cc dd ee ff", {}}, {"aaaa", "bbbb", "cccc"}), ElementsAre("aa bb", "cc dd", "ee ff"));
}

TEST(SubtitleLayout, CutsPreferPunctuation) {
  EXPECT_THAT(laid_out({"aa bb cc, dd ee ff gg", {}}, {"aaaa bbbb", "cccc dddd"}),
              ElementsAre("aa bb cc,", "dd ee ff gg"));
  EXPECT_THAT(laid_out({"aa bb cc. dd ee, ff gg hh", {}}, {"aaaa bbbb", "cccc dddd"}),
              ElementsAre("aa bb cc.", "dd ee, ff gg hh"));
}

TEST(SubtitleLayout, CutsFollowLinks) {
  const std::string source = "aaaa bbbb cccc dddd", target = "aa bb cc dd ee ff gg hh";
  const auto links = links_of(target, source, {{0, 0}, {1, 1}, {2, 1}, {3, 2}, {4, 2}, {5, 3}, {6, 3}, {7, 3}});
  EXPECT_THAT(laid_out({target, {}}, {"aaaa bbbb", "cccc dddd"}, links), ElementsAre("aa bb cc", "dd ee ff gg hh"));
  EXPECT_THAT(laid_out({target, {}}, {"aaaa bbbb", "cccc dddd"}), ElementsAre("aa bb cc dd", "ee ff gg hh"));
}

TEST(SubtitleLayout, ShortCuesGetFewerWords) {
  auto slots = slots_of({"aaaa bbbb", "cccc dddd"});
  slots[1].seconds = 0.3;
  const auto parts = lay_out_cues({InlineText{"aa bb cc dd ee ff gg hh ii kk ll mm", {}}, {}}, slots);
  EXPECT_EQ(parts.at(1).text, "ii kk ll mm");
}

TEST(SubtitleLayout, EveryCueHasAWord) {
  EXPECT_THAT(laid_out({"aa bb cc", {}}, {"a", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "c"}),
              ElementsAre("aa", "bb", "cc"));
  EXPECT_THAT(laid_out({"aa bb", {}}, {"a", "b", "c"}), ElementsAre("aa", "bb", "bb"));
  EXPECT_THAT(laid_out({" ", {}}, {"a", "b"}), IsEmpty());
}

TEST(SubtitleLayout, LinesAreBalancedAndBrokenAfterPunctuation) {
  EXPECT_THAT(laid_out({"This line has forty-two columns, not more.", {}}, {"a"}),
              ElementsAre("This line has forty-two columns, not more."));
  EXPECT_THAT(laid_out({"This line has forty-three columns, not more.", {}}, {"a"}),
              ElementsAre("This line has forty-three\ncolumns, not more."));
  EXPECT_THAT(laid_out({"This line has some more columns, which is too many.", {}}, {"a"}),
              ElementsAre("This line has some more columns,\nwhich is too many."));
  EXPECT_THAT(laid_out({"one two three four five six seven eight nine ten", {}}, {"a"}),
              ElementsAre("one two three four five\nsix seven eight nine ten"));
}

TEST(SubtitleLayout, ChineseIsBrokenBetweenCharactersButNotBeforePunctuation) {
  const auto parts = laid_out({"我们今天在这里，明天去那里，后天再回到这里来，然后休息。", {}}, {"a"});
  EXPECT_THAT(parts, ElementsAre("我们今天在这里，明天去那里，\n后天再回到这里来，然后休息。"));
  EXPECT_THAT(laid_out({"一二三四，五六", {}}, {"aaaa", "bb"}), ElementsAre("一二三四，", "五六"));
}

TEST(SubtitleLayout, PairsAreClosedAtACutAndOpenedAgain) {
  EXPECT_THAT(laid_out(of_passage(inline_text("aa <b>bb <i>cc dd</i> ee</b> ff")), {"aaaa", "bbbb", "cccc"}),
              ElementsAre("aa <b>bb</b>", "<b><i>cc dd</i></b>", "<b>ee</b> ff"));
  EXPECT_THAT(laid_out(of_passage(inline_text("aa <b>bb</b> <i>cc</i> dd")), {"aaaa", "bbbb"}),
              ElementsAre("aa <b>bb</b>", "<i>cc</i> dd"));
}

TEST(SubtitleLayout, MarksStayInTheirCue) {
  const auto target = of_passage(inline_text("aa bb cc <x/>dd"), 1);
  EXPECT_THAT(laid_out(target, {"aaaa", "bbbb"}), ElementsAre("aa bb<x/>", "cc dd"));
}

TEST(SubtitleLayout, TextElementsAreWords) {
  auto target = inline_text("go to <w/> and see bb");
  target.elements[0].text = "www.example.com/a";
  EXPECT_THAT(laid_out(target, {"aaaa bbbb", "cccc"}), ElementsAre("go to www.example.com/a", "and see bb"));
  EXPECT_THAT(laid_out(target, {"a"}), ElementsAre("go to www.example.com/a and see bb"));
}

TEST(SubtitleLayout, RandomTextsKeepTheirWordsAndLineLengths) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    std::string target;
    for (auto words = 1 + random() % 40; words > 0; --words)
      target.append(1 + random() % 12, 'a').append(random() % 4 == 0 ? "," : "").append(words > 1 ? " " : "");
    const std::vector<std::string> parts(1 + random() % 5, std::string(1 + random() % 60, 'b'));
    const auto slots = slots_of(parts, 0.5 + static_cast<double>(random() % 5));
    std::string joined;
    const auto cues = lay_out_cues({InlineText{target, {}}, {}}, slots);
    ASSERT_EQ(cues.size(), parts.size());
    for (const auto& cue : cues) {
      EXPECT_FALSE(cue.text.empty());
      std::size_t begin = 0;
      for (auto end = cue.text.find('\n'); begin != cue.text.npos + 1; end = cue.text.find('\n', begin)) {
        EXPECT_LE(columns_of(cue.text.substr(begin, end - begin)), 42U);
        begin = end + 1;
      }
      joined += (joined.empty() ? "" : " ") + cue.text;
    }
    std::ranges::replace(joined, '\n', ' ');
    if (static_cast<std::size_t>(std::ranges::count(target, ' ')) + 1 >= parts.size()) {
      EXPECT_EQ(joined, target);
    }
  }
}

}  // namespace
}  // namespace gloss
