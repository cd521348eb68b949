#include "documents/formats/apple_strings.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::StartsWith;

std::string translated_strings(const std::string& bytes, const FakeTranslation& fake = shouted,
                               std::vector<std::string>* texts = nullptr) {
  return rendered_passage(read_apple_strings(bytes, {"a.strings", "", "de", false}), fake, texts);
}

TEST(AppleStrings, ValuesAreTranslatedAndEverythingElseStays) {
  EXPECT_EQ(translated_strings("/* a \"b\" = c; */\n\"open\" = \"Open it\"; // \"x\" = \"y\";\n\n"
                               "close.key=\"Close %@\" ;\n\"Bare\" = Word;\"Alone\";\r\n'q' = 'Quoted';\n"),
            "/* a \"b\" = c; */\n\"open\" = \"OPEN IT\"; // \"x\" = \"y\";\n\n"
            "close.key=\"CLOSE %@\" ;\n\"Bare\" = Word;\"Alone\";\r\n'q' = 'Quoted';\n");
}

TEST(AppleStrings, EscapesAreDecodedAndNewOnesWritten) {
  std::vector<std::string> texts;
  EXPECT_EQ(
      translated_strings("\"k\" = \"Say \\\"a\\\"\\n\\U00e4 \\ud83d\\uDE00\\101 \\\\n and\nmore\";", shouted, &texts),
      "\"k\" = \"SAY \\\"A\\\"\\n\xC3\xA4 \xF0\x9F\x98\x80"
      "A \\\\N AND\\nMORE\";");
  EXPECT_THAT(texts, ElementsAre("Say \"a\"\n\xC3\xA4 \xF0\x9F\x98\x80"
                                 "A \\n and\nmore"));
}

TEST(AppleStrings, AValueWithHalfASurrogatePairStays) {
  const std::string lone = "\"a\" = \"Half \\ud83d\";";
  EXPECT_EQ(translated_strings(lone, shouted), lone);
}

TEST(AppleStrings, BadFilesAreRefusedWithTheLine) {
  const auto message = [](const std::string& bytes) {
    try {
      translated_strings(bytes);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_THAT(message("\"a\" = \"b\";\n\"c\" = \"d\"\n\"e\" = \"f\";"),
              StartsWith("a.strings: line 3: wanted ; after"));
  EXPECT_THAT(message("\"a\" = \"b"), StartsWith("a.strings: line 1: wanted a quotation mark"));
  EXPECT_THAT(message("\n/* a"), StartsWith("a.strings: line 2: wanted */"));
  EXPECT_THAT(message("<?xml version=\"1.0\"?><plist/>"), StartsWith("a.strings: line 1: wanted a key, got <?xml"));
  EXPECT_THAT(message("\"a\" = { b = c; };"), StartsWith("a.strings: line 1: wanted a value, got {"));
}

TEST(AppleStrings, RandomFilesComeBackUnchangedOrAreRefused) {
  std::mt19937 random(5);
  const std::vector<std::string> pieces{
      "\"a\" = \"Some text\";", "/* c */", "// d\n",  "\n", "\"k\" = ", "\"More\\\"\\U0041\"", ";", "\"", "\\",
      "key=\"Text\";",          "/*",      "\xC3\xA4"};
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (auto count = random() % 8; count > 0; --count) bytes += pieces[random() % pieces.size()];
    try {
      EXPECT_EQ(translated_strings(bytes, unchanged), bytes);
      read += bytes.empty() ? 0 : 1;
    } catch (const DataError&) {
    }
  }
  EXPECT_GT(read, 100);
}

}  // namespace
}  // namespace gloss
