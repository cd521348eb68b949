#include "documents/formats/properties.h"

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

std::string translated_properties(const std::string& bytes, const FakeTranslation& fake = shouted,
                                  std::vector<std::string>* texts = nullptr) {
  return rendered_passage(read_properties(bytes, {"a.properties", "", "de", false}), fake, texts);
}

/// Returns a translation that is the same for all texts.
FakeTranslation always(const std::string& text) {
  return [text](const InlineText&) { return InlineText{text, {}}; };
}

TEST(Properties, ValuesAreTranslatedAndKeysStay) {
  EXPECT_EQ(translated_properties("# comment = x\n! other\n\nopen=Open it\n  close : Close it\r\nsave\tSave it\n"
                                  "key\\ one\\:two = Some text\nempty=\nalone"),
            "# comment = x\n! other\n\nopen=OPEN IT\n  close : CLOSE IT\r\nsave\tSAVE IT\n"
            "key\\ one\\:two = SOME TEXT\nempty=\nalone");
}

TEST(Properties, ValuesForProgramsStay) {
  const std::string codes = "a=C:\\\\dogs\\\\cats\nb=com.example.Main\nc=color: #ff0000\nd=true\ne=ID-12\n";
  EXPECT_EQ(translated_properties(codes), codes);
}

TEST(Properties, ATranslationThatBeginsLikeASeparatorIsEscaped) {
  EXPECT_EQ(translated_properties("a Text\nb=Text\n", always(": x")), "a \\: x\nb=\\: x\n");
  EXPECT_EQ(translated_properties("a Text\n", always("= x")), "a \\= x\n");
}

TEST(Properties, IdsAreDecodedKeys) {
  const auto passage = read_properties("key\\ one\\u0041=Some text\n", {"a.properties", "", "de", false});
  ASSERT_EQ(passage.units.size(), 1U);
  EXPECT_EQ(passage.units[0].id, "key oneA");
}

TEST(Properties, EscapesAndContinuedLinesAreDecoded) {
  std::vector<std::string> texts;
  EXPECT_EQ(translated_properties("a=Say \\\n    \\u00e4\\uD83D\\uDE00\\tnow\\\\ \\\"it\\\"\\\r\n\t!\nb=Next\n",
                                  shouted, &texts),
            "a=SAY \\u00E4\\uD83D\\uDE00\\tNOW\\\\ \"IT\"!\nb=NEXT\n");
  EXPECT_THAT(texts, ElementsAre("Say \xC3\xA4\xF0\x9F\x98\x80\tnow\\ \"it\"!", "Next"));
}

TEST(Properties, AValueWithHalfASurrogatePairStays) {
  EXPECT_EQ(translated_properties("a=Half \\ud83d\nb=Half \\ude00\\ud83d\nc=x\n", shouted),
            "a=Half \\ud83d\nb=Half \\ude00\\ud83d\nc=X\n");
}

TEST(Properties, NewTextHasEscapesUnlessTheFileIsUtf8) {
  EXPECT_EQ(translated_properties("a=Text\n", always("gr\xC3\xBCn")), "a=gr\\u00FCn\n");
  EXPECT_EQ(translated_properties("# \xC3\xBC\na=Text\n", always("gr\xC3\xBCn")), "# \xC3\xBC\na=gr\xC3\xBCn\n");
  EXPECT_EQ(translated_properties("a=Stra\xDF"
                                  "e\n",
                                  shouted),
            "a=STRA\\u00DFE\n");
  EXPECT_EQ(translated_properties("# \xFC\na=Text\n", always("gr\xC3\xBCn")), "# \xFC\na=gr\\u00FCn\n");
}

TEST(Properties, ASpaceAtTheBeginningIsEscaped) {
  EXPECT_EQ(translated_properties("a=\\  Text\n", shouted), "a=\\  TEXT\n");
  EXPECT_EQ(translated_properties("a=Text\n", always(" x\\y\n")), "a=\\ x\\\\y\\n\n");
}

TEST(Properties, ApostrophesOfMessagesAreDoubled) {
  std::vector<std::string> texts;
  EXPECT_EQ(translated_properties("a=Isn''t {0}\nb=Open {0}\nc=Open it''s\n", always("l'{0}"), &texts),
            "a=l''{0}\nb=l''{0}\nc=l'{0}\n");
  EXPECT_THAT(texts, ElementsAre("Isn't {0}", "Open {0}", "Open it''s"));
  EXPECT_EQ(translated_properties("a=Isn't {0}\nb=Open {0}\n", always("l'{0}")), "a=l'{0}\nb=l'{0}\n");
}

TEST(Properties, NulIsRefused) { EXPECT_THROW(translated_properties(std::string("a\0=b", 4)), DataError); }

TEST(Properties, RandomFilesComeBackUnchanged) {
  std::mt19937 random(5);
  const std::vector<std::string> pieces{"a",       "word", " ",   "=", ":",  "\\", "\n",       "\r\n", "#",  "!",
                                        "\\u00e4", "\\u",  "{0}", "'", "''", "\t", "\xC3\xA4", "\xE4", "\f", "\r"};
  for (int round = 0; round < 3000; ++round) {
    std::string bytes;
    for (auto count = random() % 40; count > 0; --count) bytes += pieces[random() % pieces.size()];
    EXPECT_EQ(translated_properties(bytes, unchanged), bytes);
    std::vector<std::string> texts, again;
    const auto shouted_once = translated_properties(bytes, shouted, &texts);
    translated_properties(shouted_once, unchanged, &again);
    EXPECT_EQ(texts.size(), again.size()) << bytes << "\n---\n" << shouted_once;
  }
}

}  // namespace
}  // namespace gloss
