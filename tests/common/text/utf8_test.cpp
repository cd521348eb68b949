#include "common/text/utf8.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using namespace std::string_literals;

std::string encode(char32_t c) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) return {static_cast<char>(c)};
  if (c < 0x800) return {static_cast<char>(0xc0 | c >> 6), tail(0)};
  if (c < 0x10000) return {static_cast<char>(0xe0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8Test, EveryScalarValueIsValidAndNoOtherIs) {
  for (char32_t c = 0; c < 0x110400; ++c) {
    const bool scalar = (c < 0xd800 || c > 0xdfff) && c <= 0x10ffff;
    const auto bytes = encode(c);
    ASSERT_EQ(is_utf8(bytes), scalar) << std::hex << static_cast<unsigned>(c);
    if (!scalar) continue;
    const auto point = decode_utf8(bytes, 0);
    ASSERT_EQ(point.value, c);
    ASSERT_EQ(point.bytes, bytes.size());
    std::string appended = "a";
    append_utf8(c, appended);
    ASSERT_EQ(appended, "a" + bytes);
    ASSERT_EQ(last_character(appended), 1U);
  }
}

TEST(Utf8Test, LastCharacterSkipsAtMostThreeBytes) {
  EXPECT_EQ(last_character("a"), 0U);
  EXPECT_EQ(last_character("\x80"), 0U);
  EXPECT_EQ(last_character("ab\x80"), 1U);
  EXPECT_EQ(last_character("abc\x80\x80\x80\x80"), 3U);
}

TEST(Utf8Test, FindsTheFirstInvalidByte) {
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("a\xc3\xa4\xff"), 3U);
  EXPECT_EQ(first_invalid_utf8("ab\xe2\x82"), 2U);        // cut short
  EXPECT_EQ(first_invalid_utf8("\xc0\x80"), 0U);          // overlong NUL
  EXPECT_EQ(first_invalid_utf8("\xe0\x9f\xbf"), 0U);      // overlong
  EXPECT_EQ(first_invalid_utf8("\xf0\x8f\xbf\xbf"), 0U);  // overlong
  EXPECT_EQ(first_invalid_utf8("x\xed\xa0\x80"), 1U);     // surrogate
  EXPECT_EQ(first_invalid_utf8("\xf4\x90\x80\x80"), 0U);  // beyond U+10FFFF
  EXPECT_EQ(first_invalid_utf8("\xf8\x88\x80\x80\x80"), 0U);
}

// The examples of the Unicode Standard 15.0, tables 3-8 to 3-11, and similar cases.
TEST(Utf8Test, EachMaximalInvalidPartBecomesOneReplacement) {
  const auto r = "\xef\xbf\xbd"s;
  EXPECT_EQ(repair_utf8("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(repair_utf8("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41"), r + r + r + r + r + r + r + r + "A");
  EXPECT_EQ(repair_utf8("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42"), r + r + r + r + r + "A" + r + r + "B");
  EXPECT_EQ(repair_utf8("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41"), r + r + r + r + "A");
  EXPECT_EQ(repair_utf8("a\xf0\x9f\x98"), "a" + r);
}

TEST(Utf8Test, ValidTextIsUnchangedExceptForNul) {
  EXPECT_EQ(repair_utf8("Gr\u00fc\u00dfe \u4f60\u597d \U0001f600\n"), "Gr\u00fc\u00dfe \u4f60\u597d \U0001f600\n");
  EXPECT_EQ(repair_utf8("a\0b"s), "a\ufffdb");
}

TEST(Utf8Test, CountsCodePoints) {
  EXPECT_EQ(count_code_points(""), 0U);
  EXPECT_EQ(count_code_points("Gr\u00fc\u00dfe \U0001f600"), 7U);
}

}  // namespace
}  // namespace gloss
