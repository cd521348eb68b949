#include "common/files/term_files.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::Pair;

std::vector<std::pair<std::string, std::string>> terms_of_bytes(const std::string& bytes,
                                                                const std::string& source = "en",
                                                                const std::string& target = "de") {
  return read_terms(DocumentInput::of(bytes, "terms"), source, target);
}

TEST(TermFiles, TbxOfVersion2) {
  const std::string bytes =
      "<?xml version='1.0'?><!DOCTYPE martif SYSTEM 'TBXcoreStructV02.dtd'><martif type='TBX'><text><body>"
      "<termEntry id='1'><descrip type='definition'>d</descrip><langSet xml:lang='en'><tig><term>alpha  "
      "factor</term></tig>"
      "<ntig><termGrp><term>alpha</term></termGrp></ntig></langSet><langSet "
      "xml:lang='de'><tig><term>Faktor</term></tig>"
      "<tig><term>Alpha-<hi>Faktor</hi></term><termNote>noun</termNote></tig></langSet></termEntry>"
      "<termEntry><langSet xml:lang='en'><tig><term>lone</term></tig></langSet></termEntry></body></text></martif>";
  EXPECT_THAT(terms_of_bytes(bytes),
              ElementsAre(Pair("alpha factor", "Faktor|Alpha-Faktor"), Pair("alpha", "Faktor|Alpha-Faktor")));
  EXPECT_THAT(terms_of_bytes(bytes, "de", "en"),
              ElementsAre(Pair("Faktor", "alpha factor|alpha"), Pair("Alpha-Faktor", "alpha factor|alpha")));
}

TEST(TermFiles, TbxOfVersion3InBothStyles) {
  EXPECT_THAT(terms_of_bytes("<tbx style='dca' xmlns='urn:iso:std:iso:30042:ed-2'><text><body><conceptEntry>"
                             "<langSec xml:lang='en-US'><termSec><term>bank</term></termSec></langSec>"
                             "<langSec xml:lang='de'><termSec><term>Bank</term></termSec></langSec></conceptEntry>"
                             "<conceptEntry><langSec xml:lang='en'><termSec><term>bank</term></termSec></langSec>"
                             "<langSec xml:lang='de-AT'><termSec><term>Ufer</term></termSec></langSec>"
                             "<langSec xml:lang='de-DE'><termSec><term>Bank</term></termSec></langSec></conceptEntry>"
                             "</body></text></tbx>"),
              ElementsAre(Pair("bank", "Bank|Ufer")));
  EXPECT_THAT(terms_of_bytes("<t:tbx xmlns:t='urn:iso:std:iso:30042:ed-2'><t:conceptEntry><t:langSec xml:lang='en'>"
                             "<t:termSec><t:term>a</t:term></t:termSec></t:langSec><t:langSec xml:lang='de'><t:termSec>"
                             "<t:term>b</t:term></t:termSec></t:langSec></t:conceptEntry></t:tbx>"),
              ElementsAre(Pair("a", "b")));
}

TEST(TermFiles, TablesWithLanguagesInTheFirstRow) {
  EXPECT_THAT(
      terms_of_bytes("\xEF\xBB\xBF"
                     "id,DE,en-US,comment\r\n1,\"Bank, die\",bank,x\r\n2,\"a \"\"b\"\"\",\"two\nlines\",\r\n3,,no\r\n"),
      ElementsAre(Pair("bank", "Bank, die"), Pair("two lines", "a \"b\"")));
  EXPECT_THAT(terms_of_bytes("Source;Target\nbank;Bank\nbank;Ufer\nbank;Bank\n"),
              ElementsAre(Pair("bank", "Bank|Ufer")));
}

TEST(TermFiles, TablesWithoutHeader) {
  EXPECT_THAT(terms_of_bytes("bank\tBank\n5\" pipe\t5-Zoll-Rohr\nalone\n"),
              ElementsAre(Pair("bank", "Bank"), Pair("5\" pipe", "5-Zoll-Rohr")));
  EXPECT_THAT(terms_of_bytes("bank,Bank\n5\" pipe,Rohr"), ElementsAre(Pair("bank", "Bank"), Pair("5\" pipe", "Rohr")));
}

TEST(TermFiles, WrongFilesAreRefused) {
  EXPECT_THROW(terms_of_bytes("fr,es\nbanque,banco\n"), DataError);
  EXPECT_THROW(terms_of_bytes("<html/>"), DataError);
  EXPECT_THROW(terms_of_bytes("<tbx><conceptEntry>"), DataError);
  EXPECT_THROW(terms_of_bytes("<tbx></tbx>"), DataError);
  EXPECT_THROW(terms_of_bytes(""), DataError);
  EXPECT_THROW(terms_of_bytes("one column\nonly\n"), DataError);
}

TEST(TermFiles, DeepNestingIsHarmless) {
  std::string bytes = "<tbx>";
  for (int i = 0; i < 100'000; ++i) bytes += "<p>";
  bytes +=
      "<conceptEntry><langSec xml:lang='en'><term>a</term></langSec><langSec xml:lang='de'><term>b</term></langSec>"
      "</conceptEntry>";
  for (int i = 0; i < 100'000; ++i) bytes += "</p>";
  EXPECT_THAT(terms_of_bytes(bytes + "</tbx>"), ElementsAre(Pair("a", "b")));
}

}  // namespace
}  // namespace gloss
