#include "common/files/document_input.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;

std::vector<std::string> lines_of(std::string bytes) {
  auto input = DocumentInput::of(std::move(bytes), "text");
  std::vector<std::string> lines;
  for (std::string line; input.next_line(line);) lines.push_back(line);
  return lines;
}

TEST(DocumentInput, KeepsLineEnds) {
  EXPECT_THAT(lines_of("a\nb\r\n\r\nc\rd"), ElementsAre("a\n", "b\r\n", "\r\n", "c\r", "d"));
  EXPECT_THAT(lines_of(""), ElementsAre());
}

TEST(DocumentInput, LeavesOutTheByteOrderMark) {
  auto input = DocumentInput::of("\xEF\xBB\xBFgrün", "text");
  EXPECT_EQ(input.encoding(), TextEncoding::kUtf8WithMark);
  EXPECT_EQ(input.rest(100), "grün");
}

TEST(DocumentInput, ReadsUtf16InBothOrdersWithAndWithoutMark) {
  const auto text = "grün \U0001F600\n"s;
  for (const auto encoding : {TextEncoding::kUtf16Little, TextEncoding::kUtf16LittleWithMark, TextEncoding::kUtf16Big,
                              TextEncoding::kUtf16BigWithMark}) {
    auto input = DocumentInput::of(std::string(byte_order_mark(encoding)) + encode_text(text, encoding), "text");
    EXPECT_EQ(input.encoding(), encoding);
    EXPECT_EQ(input.rest(100), text);
  }
}

TEST(EncodeText, GivesTheBytesOfPython) {
  // python3 -c "print('aü\U0001F600'.encode('utf-16-le'))"
  EXPECT_EQ(encode_text("aü\U0001F600", TextEncoding::kUtf16Little), "a\0\xFC\0=\xD8\0\xDE"s);
  EXPECT_EQ(encode_text("aü", TextEncoding::kUtf8WithMark), "aü");
}

TEST(DocumentInput, RefusesOtherBytesWithTheLine) {
  auto input = DocumentInput::of("a\ngr\xFCn\n", "text");
  try {
    input.rest(100);
    FAIL() << "Latin-1 was read as UTF-8";
  } catch (const DataError& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("text: line 2: wanted text in UTF-8"));
  }
  EXPECT_THAT([] { lines_of("a\0b"s); }, testing::ThrowsMessage<DataError>(testing::HasSubstr("got a NUL byte")));
  EXPECT_THROW(lines_of("\xFF\xFE"
                        "a"s),
               DataError);
}

TEST(DocumentInput, CutsALongLineBetweenWords) {
  std::string text;
  while (text.size() < 3 * DocumentInput::kMaxLineBytes) text += "wörter ";
  std::string joined;
  for (const auto& part : lines_of(text)) {
    EXPECT_LE(part.size(), DocumentInput::kMaxLineBytes);
    EXPECT_THAT(part, testing::EndsWith(" "));
    joined += part;
  }
  EXPECT_EQ(joined, text);
}

TEST(DocumentInput, ALineOfTheGreatestLengthIsOnePart) {
  for (const std::string end : {"\n", "\r", "\r\n"})
    for (const auto size : {DocumentInput::kMaxLineBytes - 1, DocumentInput::kMaxLineBytes}) {
      auto input = DocumentInput::of(std::string(size, 'x') + end + "y", "in");
      std::string part;
      EXPECT_TRUE(input.next_line(part));
      EXPECT_EQ(part.size(), size + end.size());
      EXPECT_TRUE(input.next_line(part));
      EXPECT_EQ(part, "y");
    }
}

TEST(DocumentInput, CutsALongLineWithoutSpacesBetweenCharacters) {
  std::string text = "a";
  while (text.size() < 2 * DocumentInput::kMaxLineBytes) text += "ü";
  std::string joined;
  for (const auto& part : lines_of(text)) joined += part;
  EXPECT_EQ(joined, text);
}

TEST(DocumentInput, HasALimitOfWholeTexts) {
  auto input = DocumentInput::of("0123456789\n", "text");
  EXPECT_THROW(input.rest(10), DataError);
}

}  // namespace
}  // namespace gloss
