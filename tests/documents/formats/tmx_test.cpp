#include "documents/formats/tmx.h"

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
using testing::HasSubstr;

const std::string kBegin = "<?xml version='1.0'?>\n<tmx version=\"1.4\"><header srclang='en'/>\n<body>\n";
const std::string kEnd = "</body></tmx>\n";

std::string translated_tmx(const std::string& bytes, const FakeTranslation& fake = shouted,
                           const DocumentOptions& options = {"a.tmx", "", "de", false},
                           std::vector<std::string>* texts = nullptr) {
  return rendered_document(*read_tmx(DocumentInput::of(bytes, "a.tmx"), options), fake, texts);
}

std::string translated_units(const std::string& units, bool overwrite = false) {
  const auto result = translated_tmx(kBegin + units + kEnd, shouted, {"a.tmx", "", "de", overwrite});
  EXPECT_TRUE(result.starts_with(kBegin) && result.ends_with(kEnd)) << result;
  return result.substr(kBegin.size(), result.size() - kBegin.size() - kEnd.size());
}

TEST(Tmx, AUnitWithoutATargetGetsOneAsItsLastVariant) {
  EXPECT_EQ(translated_units("<tu>\n  <tuv xml:lang=\"fr\"><seg>c'est</seg></tuv>\n  <tuv xml:lang='EN-US'>"
                             "<prop>x</prop><seg>It &lt; &#228;</seg></tuv>\n</tu>\n"),
            "<tu>\n  <tuv xml:lang=\"fr\"><seg>c'est</seg></tuv>\n  <tuv xml:lang='EN-US'>"
            "<prop>x</prop><seg>It &lt; &#228;</seg></tuv>\n  <tuv xml:lang=\"de\"><seg>IT &lt; "
            "\xC3\xA4</seg></tuv>\n</tu>\n");
}

TEST(Tmx, CodesAndSpacesOfTheSourceAreCopied) {
  EXPECT_EQ(
      translated_units("<tu><tuv lang=\"en\"><seg> <it pos=\"begin\">&lt;i&gt;</it>one <bpt i=\"1\">&lt;b&gt;</bpt>"
                       "two<ept i=\"1\">&lt;/b&gt;</ept> <hi>three</hi> <ph>x</ph> four </seg></tuv></tu>"),
      "<tu><tuv lang=\"en\"><seg> <it pos=\"begin\">&lt;i&gt;</it>one <bpt i=\"1\">&lt;b&gt;</bpt>"
      "two<ept i=\"1\">&lt;/b&gt;</ept> <hi>three</hi> <ph>x</ph> four </seg></tuv>"
      "<tuv xml:lang=\"de\"><seg> <it pos=\"begin\">&lt;i&gt;</it>ONE <bpt i=\"1\">&lt;b&gt;</bpt>"
      "TWO<ept i=\"1\">&lt;/b&gt;</ept> <hi>THREE</hi> <ph>x</ph> FOUR </seg></tuv></tu>");
}

TEST(Tmx, TranslatedUnitsStayUnlessOverwritten) {
  const std::string unit =
      "<tu><tuv xml:lang=\"en\"><seg>Yes</seg></tuv><tuv xml:lang=\"de-AT\"><seg>Ja</seg></tuv></tu>";
  EXPECT_EQ(translated_units(unit), unit);
  EXPECT_EQ(translated_units(unit, true),
            "<tu><tuv xml:lang=\"en\"><seg>Yes</seg></tuv><tuv xml:lang=\"de-AT\"><seg>YES</seg></tuv></tu>");
}

TEST(Tmx, EmptyTargetsAreFilled) {
  EXPECT_EQ(translated_units("<tu><tuv xml:lang='en'><seg>Yes</seg></tuv><tuv xml:lang='de'><seg/></tuv></tu>"),
            "<tu><tuv xml:lang='en'><seg>Yes</seg></tuv><tuv xml:lang='de'><seg>YES</seg></tuv></tu>");
  EXPECT_EQ(translated_units("<tu><tuv xml:lang='en'><seg>Yes</seg></tuv><tuv xml:lang='de'><seg></seg></tuv></tu>"),
            "<tu><tuv xml:lang='en'><seg>Yes</seg></tuv><tuv xml:lang='de'><seg>YES</seg></tuv></tu>");
}

TEST(Tmx, UnitsOfOtherLanguagesCommentsAndWordlessUnitsStay) {
  const std::string units =
      "<!-- <tu><tuv xml:lang='en'><seg>no</seg></tuv></tu> --><tu><tuv xml:lang='fr'><seg>oui</seg></tuv></tu>"
      "<tu/><tu><tuv xml:lang='en'><seg>12 - 3</seg></tuv></tu><tu><note>n</note></tu>";
  EXPECT_EQ(translated_units(units), units);
}

TEST(Tmx, ADeclaredEncodingBecomesUtf8) {
  EXPECT_THAT(translated_tmx("<?xml version='1.0' encoding='us-ascii'?><tmx><body></body></tmx>"),
              HasSubstr("encoding='UTF-8'?>"));
}

TEST(Tmx, Utf16IsRead) {
  const std::string bytes = kBegin + "<tu><tuv xml:lang='en'><seg>Yes</seg></tuv></tu>" + kEnd;
  std::vector<std::string> texts;
  translated_tmx("\xFF\xFE" + encode_text(bytes, TextEncoding::kUtf16Little), shouted, {"a.tmx", "", "de", false},
                 &texts);
  EXPECT_THAT(texts, ElementsAre("Yes"));
}

TEST(Tmx, OtherFilesAreRefused) {
  EXPECT_THROW(translated_tmx("<html><body></body></html>"), DataError);
  EXPECT_THROW(translated_tmx("text"), DataError);
  EXPECT_THROW(translated_tmx(kBegin + "<tu><tuv xml:lang='en'><seg>a</tuv></tu>" + kEnd), DataError);
  EXPECT_THROW(translated_tmx(kBegin + "<tu>" + std::string(5 << 20, 'x') + "</tu>" + kEnd), DataError);
  EXPECT_THROW(translated_tmx(kBegin + kEnd, shouted, {"a.tmx", "en", "", false}), DataError);
}

TEST(Tmx, FilesCutAnywhereAreRefused) {
  const auto bytes =
      kBegin + "<!-- c --><tu a='>'><tuv xml:lang='en'><seg>One <![CDATA[</tu>]]></seg></tuv></tu>" + kEnd;
  EXPECT_THAT(translated_tmx(bytes), HasSubstr("</seg></tuv><tuv xml:lang=\"de\"><seg>ONE"));
  for (std::size_t size = 0; size < bytes.find("</tmx>") + 6; ++size)
    EXPECT_THROW(translated_tmx(bytes.substr(0, size)), DataError) << size;
}

TEST(Tmx, RandomUnitsAreFilledOnceAndKeepTheirBytes) {
  std::mt19937 random(3);
  const std::vector<std::string> pieces{"word ",  "&amp; ", "<ph>%s</ph>",  "<hi>big</hi> ", "<!-- c -->", "\n ",
                                        "&nope;", "<ut/>",  "<bpt i='1'/>", "<ept i='1'/>",  "\xC3\xA4 ",  "end"};
  for (int round = 0; round < 300; ++round) {
    std::string seg, units;
    for (auto count = random() % 8; count > 0; --count) seg += pieces[random() % pieces.size()];
    units = "<tu>\r\n\t<tuv xml:lang=\"en\"><seg>" + seg + "</seg></tuv>\r\n</tu>";
    std::vector<std::string> texts;
    const auto once = translated_tmx(kBegin + units + kEnd, unchanged, {"a.tmx", "en", "de", false}, &texts);
    auto expected = units;
    if (!texts.empty()) {
      expected.insert(expected.rfind("\r\n"), "\r\n\t<tuv xml:lang=\"de\"><seg>" + seg + "</seg></tuv>");
      EXPECT_EQ(once, kBegin + expected + kEnd);
    }
    EXPECT_EQ(translated_tmx(once), once);
  }
}

TEST(Tmx, AnotherSourceLanguageIsRefused) {
  EXPECT_THROW(
      translated_tmx("<tmx version=\"1.4\"><header srclang='fr'/><body/></tmx>", shouted, {"a.tmx", "en", "de", false}),
      DataError);
}

}  // namespace
}  // namespace gloss
