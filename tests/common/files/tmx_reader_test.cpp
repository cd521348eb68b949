#include "common/files/tmx_reader.h"

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/text/language_match.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using Pairs = std::vector<std::pair<std::string, std::string>>;

Pairs read_pairs(const std::string& bytes, const std::string& source = "en", const std::string& target = "de") {
  const TemporaryFolder folder;
  const auto path = folder / "memory.tmx";
  std::ofstream(path, std::ios::binary) << bytes;
  TmxReader reader(path, source, target);
  Pairs pairs;
  for (TextPair pair; reader.next(pair);) pairs.emplace_back(pair.source, pair.target);
  return pairs;
}

std::string tmx_of(const std::string& units) { return "<?xml version='1.0'?><tmx><body>" + units + "</body></tmx>"; }

TEST(LanguageMatch, PrefersEqualTags) {
  EXPECT_EQ(language_match("en-US", "EN_us"), 2);
  EXPECT_EQ(language_match("en", "en-US"), 1);
  EXPECT_EQ(language_match("en-US", "EN"), 1);
  EXPECT_EQ(language_match("en-US", "en-GB"), 0);
  EXPECT_EQ(language_match("en", "eng"), 0);
  EXPECT_EQ(language_match("en", ""), 0);
}

TEST(TmxReader, ReadsThePairsOfTwoLanguages) {
  const auto bytes = tmx_of(
      "<tu><tuv xml:lang='EN-US'><seg>One  &amp;\n two &#228;</seg></tuv><tuv "
      "xml:lang='de-DE'><seg>Eins</seg></tuv></tu>"
      "<tu><tuv xml:lang='en'><seg>Lone</seg></tuv><tuv xml:lang='fr'><seg>Seul</seg></tuv></tu>"
      "<tu><tuv lang='en-GB'><seg>British</seg></tuv><tuv lang='en'><seg>Plain</seg></tuv>"
      "<tuv lang='DE'><seg><![CDATA[<Deutsch>]]></seg></tuv></tu>");
  EXPECT_THAT(read_pairs(bytes), ElementsAre(Pair("One & two \xC3\xA4", "Eins"), Pair("Plain", "<Deutsch>")));
  EXPECT_THAT(read_pairs(bytes, "fr", "en"), ElementsAre(Pair("Seul", "Lone")));
  EXPECT_THAT(read_pairs(bytes, "", "fr"), ElementsAre(Pair("Lone", "Seul")));
  EXPECT_THAT(read_pairs(bytes, "en", "it"), IsEmpty());
}

TEST(TmxReader, LeavesOutTheCodesOfInlineElements) {
  EXPECT_THAT(read_pairs(tmx_of("<tu><tuv xml:lang='en'><seg><bpt i='1'>&lt;b></bpt>Big<ept i='1'>&lt;/b></ept> "
                                "<hi>red <it pos='begin'>x</it></hi><ph>img<sub>alt</sub></ph>fox<ut>y</ut></seg></tuv>"
                                "<tuv xml:lang='de'><seg>Fuchs</seg></tuv></tu>")),
              ElementsAre(Pair("Big red fox", "Fuchs")));
}

TEST(TmxReader, ReadsUtf16) {
  const auto bytes =
      tmx_of("<tu><tuv xml:lang='en'><seg>a</seg></tuv><tuv xml:lang='de'><seg>\xC3\xA4</seg></tuv></tu>");
  EXPECT_THAT(read_pairs("\xFE\xFF" + encode_text(bytes, TextEncoding::kUtf16Big)), ElementsAre(Pair("a", "\xC3\xA4")));
}

TEST(TmxReader, IgnoresUnitsInComments) {
  EXPECT_THAT(read_pairs(tmx_of("<!-- <tu> --><tuv_not_a_unit/><tu><!-- </tu> --><tuv xml:lang='en'><seg>a</seg></tuv>"
                                "<tuv xml:lang='de'><seg>b</seg></tuv></tu >")),
              ElementsAre(Pair("a", "b")));
}

TEST(TmxReader, DoesNotExpandEntities) {
  const auto bytes =
      "<!DOCTYPE tmx [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>" +
      tmx_of("<tu><tuv xml:lang='en'><seg>&b;</seg></tuv><tuv xml:lang='de'><seg>x</seg></tuv></tu>").substr(21);
  EXPECT_THAT(read_pairs(bytes), ElementsAre(Pair("&b;", "x")));
}

TEST(TmxReader, RefusesOtherFilesAndDeepNestingIsHarmless) {
  EXPECT_THROW(read_pairs("<xliff/>"), DataError);
  EXPECT_THROW(read_pairs(tmx_of("<tu><tuv></tu>")), DataError);
  EXPECT_THROW(read_pairs("<tmx><body><tu>"), DataError);
  std::string deep = "<tu><tuv xml:lang='en'><seg>top";
  for (int i = 0; i < 100'000; ++i) deep += "<hi>";
  for (int i = 0; i < 100'000; ++i) deep += "</hi>";
  const std::string end = "</seg></tuv><tuv xml:lang='de'><seg>x</seg></tuv></tu>";
  EXPECT_THAT(read_pairs(tmx_of(deep + end)), ElementsAre(Pair("top", "x")));
}

TEST(TmxScanner, PartsJoinedAreTheFile) {
  std::string bytes = "<?xml version='1.0'?>\n<!-- > < -->" + std::string(200'000, ' ') + "<tmx>";
  for (int i = 0; i < 3000; ++i)
    bytes += "<tu tuid='" + std::to_string(i) + "'><tuv/></tu>\n" + std::string(i % 7, '\n');
  bytes += "<note/></tmx>\n";
  TmxScanner scanner(DocumentInput::of(bytes, "a.tmx"));
  std::string joined;
  int units = 0;
  for (TmxScanner::Part part; scanner.next(part);) {
    joined += part.bytes;
    units += part.is_unit ? 1 : 0;
    EXPECT_EQ(part.bytes.starts_with("<tu "), part.is_unit);
    EXPECT_EQ(part.bytes.ends_with("</tu>"), part.is_unit);
  }
  EXPECT_EQ(joined, bytes);
  EXPECT_EQ(units, 3000);
}

}  // namespace
}  // namespace gloss
