#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/files/line_reader.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto kMax = LineSplitter::kMaxLineBytes;
const std::string kByteOrderMark = "\xEF\xBB\xBF";

std::vector<TextLine> split(std::string_view text, std::size_t part = std::string_view::npos,
                            LineEnds ends = LineEnds::kLineFeed) {
  LineSplitter splitter(ends);
  std::vector<TextLine> lines;
  TextLine line;
  for (; !text.empty(); text.remove_prefix(std::min(part, text.size()))) {
    auto bytes = text.substr(0, part);
    while (!bytes.empty())
      if (splitter.next(bytes, line)) lines.push_back(line);
  }
  if (splitter.finish(line)) lines.push_back(line);
  return lines;
}

std::vector<std::string> texts(const std::vector<TextLine>& lines) {
  std::vector<std::string> result;
  for (const auto& line : lines) result.push_back(line.text);
  return result;
}

// A byte order mark, a CRLF and a character may each be split.
TEST(LineSplitterTest, LinesDoNotDependOnTheParts) {
  const auto text = kByteOrderMark + "one\r\n\r\n" + kByteOrderMark + "two\r\r\na\rb\n\u2028\n\nlast\r";
  for (const std::size_t part : {1U, 2U, 3U, 5U, 100U})
    EXPECT_THAT(texts(split(text, part)),
                ElementsAre("one", "", kByteOrderMark + "two\r", "a\rb", "\u2028", "", "last\r"))
        << part;
}

TEST(LineSplitterTest, ReturnAloneEndsALineWithAnyReturn) {
  const auto text = kByteOrderMark + "one\rtwo\r\nthree\n\r\r\n\nlast\r";
  for (const std::size_t part : {1U, 2U, 3U, 5U, 100U})
    EXPECT_THAT(texts(split(text, part, LineEnds::kAnyReturn)), ElementsAre("one", "two", "three", "", "", "", "last"))
        << part;
  const auto lines =
      split(std::string(kMax + 9, 'x') + "\r\n" + std::string(kMax, 'y') + "\r", 1000, LineEnds::kAnyReturn);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].cut);
  EXPECT_FALSE(lines[1].cut);
}

TEST(LineSplitterTest, MarksLinesThatEndInCrlf) {
  const auto lines = split("a\r\nb\nc\r");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_TRUE(lines[0].crlf);
  EXPECT_FALSE(lines[1].crlf);
  EXPECT_FALSE(lines[2].crlf);
}

TEST(LineSplitterTest, EmptyTextHasNoLineAndAByteOrderMarkAnEmptyOne) {
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(texts(split(kByteOrderMark)), ElementsAre(""));
  EXPECT_THAT(texts(split(kByteOrderMark, 1)), ElementsAre(""));
  EXPECT_THAT(texts(split(kByteOrderMark + "\n")), ElementsAre(""));
  EXPECT_THAT(texts(split(kByteOrderMark + "\n" + kByteOrderMark)), ElementsAre("", kByteOrderMark));
}

// Neither the byte order mark nor the line end counts.
TEST(LineSplitterTest, LineOfMaximumLengthIsNotCut) {
  const std::string longest(kMax, 'x');
  for (const std::string end : {"\n", "\r\n", ""}) {
    const auto lines = split(kByteOrderMark + longest + end, 1000);
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_FALSE(lines[0].cut);
    EXPECT_EQ(lines[0].text, longest);
  }
  for (const std::string more : {"x\n", "x\r\n", "\r\r\n", "xxx\r\n", "xxxx\r\n", "xxxxx\r\n", "xxxxx\rxx\n"}) {
    const auto lines = split(kByteOrderMark + longest + more + "next\n", 1000);
    ASSERT_EQ(lines.size(), 2U) << more;
    EXPECT_TRUE(lines[0].cut) << more;
    EXPECT_EQ(lines[0].text, longest);
    EXPECT_FALSE(lines[1].cut);
    EXPECT_EQ(lines[1].text, "next");
  }
}

TEST(LineSplitterTest, CutsBetweenCharacters) {
  std::string line = "x";  // an odd number of bytes before characters of two bytes each
  while (line.size() < 2 * kMax) line += "\u00e9";
  const auto lines = split(line + "\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0].text.size(), kMax - 1);
  EXPECT_TRUE(lines[0].text.ends_with("\u00e9"));
}

}  // namespace
}  // namespace gloss
