#include "documents/model/utf16_escape.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(Utf16EscapeTest, ReadsAUnitOrASurrogatePair) {
  const auto read = [](std::string_view text) {
    const auto character = read_utf16_escape(text);
    return character ? std::pair(character->value, character->bytes) : std::pair(U'\0', std::size_t{0});
  };
  EXPECT_EQ(read("\\u00e9t\\u00e9"), std::pair(U'é', std::size_t{6}));
  EXPECT_EQ(read("\\UD83D\\udc15!"), std::pair(U'🐕', std::size_t{12}));
  for (const auto* lone : {"\\ud83d", "\\ud83d\\u0041", "\\ud83d\\ud83d", "\\ud83dx", "\\ud83d\\udc1"})
    EXPECT_EQ(read(lone), std::pair(char32_t{0xd83d}, std::size_t{6})) << lone;
  EXPECT_EQ(read("\\udc15\\ud83d"), std::pair(char32_t{0xdc15}, std::size_t{6}));
  for (const auto* other : {"", "\\", "\\u", "\\u00e", "\\u00eg", "u00e9", "\\x00e9", "\\u-0e9", " \\u00e9"})
    EXPECT_FALSE(read_utf16_escape(other)) << other;
}

}  // namespace
}  // namespace gloss
