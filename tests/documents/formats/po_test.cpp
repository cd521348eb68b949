#include "documents/formats/po.h"

#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "documents/formats/po_strings.h"
#include "tests/documents/model/reader_helpers.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string kHeader =
    "msgid \"\"\nmsgstr \"\"\n\"Language: de\\n\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n"
    "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n\n";

std::string translated_po(const std::string& bytes, const FakeTranslation& fake = shouted,
                          const DocumentOptions& options = {"a.po", "", "de", false},
                          std::vector<std::string>* texts = nullptr) {
  return rendered_document(*read_po(DocumentInput::of(bytes, "a.po"), options), fake, texts);
}

/// Returns the translation of entries after kHeader.
std::string translated_entries(const std::string& entries) {
  const auto result = translated_po(kHeader + entries);
  EXPECT_THAT(result, StartsWith(kHeader));
  return result.substr(kHeader.size());
}

TEST(Po, AnEmptyTranslationIsFilledAndFuzzy) {
  EXPECT_EQ(translated_entries("# note\n#. extracted\n#: a.c:1\nmsgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"\"\n"),
            "# note\n#. extracted\n#: a.c:1\n#, fuzzy\nmsgctxt \"menu\"\nmsgid \"Open\"\nmsgstr \"OPEN\"\n");
}

TEST(Po, FuzzyPrecedesOtherFlagsAndPreviousMessages) {
  EXPECT_EQ(translated_entries("#, c-format\nmsgid \"%s of %d\"\nmsgstr \"\"\n"),
            "#, fuzzy, c-format\nmsgid \"%s of %d\"\nmsgstr \"%s OF %d\"\n");
  EXPECT_EQ(translated_entries("#: a.c\n#| msgid \"Opens\"\nmsgid \"Open\"\nmsgstr \"\"\n"),
            "#: a.c\n#, fuzzy\n#| msgid \"Opens\"\nmsgid \"Open\"\nmsgstr \"OPEN\"\n");
  EXPECT_EQ(translated_entries("#, fuzzy\nmsgid \"Open\"\nmsgstr \"\"\n"),
            "#, fuzzy\nmsgid \"Open\"\nmsgstr \"OPEN\"\n");
}

TEST(Po, TranslatedFuzzyAndObsoleteEntriesStay) {
  const std::string entries =
      "msgid \"Open\"\nmsgstr \"Offnen\"\n\n#, fuzzy\nmsgid \"Close\"\nmsgstr \"Schliessen\"\n\n"
      "#~ msgid \"Old\"\n#~ msgstr \"\"\n#~ msgid \"Older\"\n#~ msgstr \"\"\n";
  EXPECT_EQ(translated_entries(entries), entries);
}

TEST(Po, OverwritingKeepsObsoleteEntriesOnly) {
  const auto result =
      translated_po(kHeader +
                        "msgid \"Open\"\nmsgstr \"Offnen\"\n\n#, fuzzy\nmsgid \"Close\"\nmsgstr \"x\"\n\n"
                        "#~ msgid \"Old\"\n#~ msgstr \"Alt\"\n",
                    shouted, {"a.po", "", "de", true});
  EXPECT_EQ(result.substr(kHeader.size()),
            "#, fuzzy\nmsgid \"Open\"\nmsgstr \"OPEN\"\n\n#, fuzzy\nmsgid \"Close\"\nmsgstr \"CLOSE\"\n\n"
            "#~ msgid \"Old\"\n#~ msgstr \"Alt\"\n");
}

TEST(Po, StringsOfSeveralLinesAndEscapes) {
  EXPECT_EQ(translated_entries("msgid \"\"\n\"Say \\\"a\\\\b\\\" \"\n\"\\tnow\\n\"\n\"and \\303\\244\\x41 then\\n\"\n"
                               "msgstr \"\"\n"),
            "#, fuzzy\nmsgid \"\"\n\"Say \\\"a\\\\b\\\" \"\n\"\\tnow\\n\"\n\"and \\303\\244\\x41 then\\n\"\n"
            "msgstr \"\"\n\"SAY \\\"A\\\\B\\\" \\tNOW\\n\"\n\"AND äA THEN\\n\"\n");
}

TEST(Po, LineEndsAndSpacesAtTheEndsStay) {
  std::vector<std::string> texts;
  const auto result =
      translated_po(kHeader + "msgid \"\\n Open it\\n\"\nmsgstr \"\"\n", shouted, {"a.po", "", "", false}, &texts);
  EXPECT_THAT(texts, ElementsAre("Open it"));
  EXPECT_THAT(result, HasSubstr("msgstr \"\"\n\"\\n\"\n\" OPEN IT\\n\"\n"));
}

TEST(Po, TextsWithoutWordsStayEmpty) {
  const std::string entries = "msgid \"%s: %d\"\nmsgstr \"\"\n\nmsgid \"---\"\nmsgstr \"\"\n";
  EXPECT_EQ(translated_entries(entries), entries);
}

TEST(Po, PluralsHaveTheFormsOfTheHeader) {
  EXPECT_EQ(
      translated_entries("msgid \"one file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n"),
      "#, fuzzy\nmsgid \"one file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"ONE FILE\"\nmsgstr[1] \"%d FILES\"\n");
}

/// Returns the lines with msgstr[n] of "one file", "%d files" with a template's header.
std::vector<std::string> plural_lines(const std::string& language) {
  const auto result = translated_po(
      "#, fuzzy\nmsgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n\"Content-Type: text/plain; charset=CHARSET\\n\"\n"
      "\"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n\"\n\n"
      "msgid \"a file\"\nmsgid_plural \"%d files\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n",
      shouted, {"a.po", "", language, false});
  EXPECT_THAT(result, HasSubstr("\"Language: " + po_language(language) + "\\n\"\n"));
  EXPECT_THAT(result, HasSubstr("\"Content-Type: text/plain; charset=UTF-8\\n\"\n"));
  EXPECT_THAT(result, HasSubstr("\"Plural-Forms: " + plural_forms_field(language) + "\\n\"\n"));
  std::vector<std::string> lines;
  for (auto place = result.find("msgstr["); place != result.npos; place = result.find("msgstr[", place + 1))
    lines.push_back(result.substr(place, result.find('\n', place) - place));
  return lines;
}

TEST(Po, TemplatesGetTheFormsOfTheTargetLanguage) {
  const std::string one = "msgstr[0] \"A FILE\"", many = "msgstr[0] \"%d FILES\"";
  EXPECT_THAT(plural_lines("de"), ElementsAre(one, "msgstr[1] \"%d FILES\""));
  EXPECT_THAT(plural_lines("pt-BR"), ElementsAre(one, "msgstr[1] \"%d FILES\""));
  EXPECT_THAT(plural_lines("ja"), ElementsAre(many));
  EXPECT_THAT(plural_lines("pl"), ElementsAre(one, "msgstr[1] \"%d FILES\"", "msgstr[2] \"%d FILES\""));
  // Form 0 of Russian is that of 21 files, too.
  EXPECT_THAT(plural_lines("ru"), ElementsAre(many, "msgstr[1] \"%d FILES\"", "msgstr[2] \"%d FILES\""));
  EXPECT_EQ(plural_lines("ar").at(1), "msgstr[1] \"A FILE\"");
}

TEST(PluralForms, FindTheSingular) {
  const auto forms = PluralForms::of("nplurals=6; plural=(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : 3);");
  ASSERT_TRUE(forms);
  EXPECT_EQ(forms->count, 6U);
  EXPECT_EQ(forms->singular, 1U);
  EXPECT_EQ(PluralForms::of("nplurals=4; plural=n==1 ? 0 : n==0 || (n%100>1 && n%100<11) ? 1 : 2;")->singular, 0U);
  EXPECT_FALSE(PluralForms::of("nplurals=0; plural=0;"));
  EXPECT_FALSE(PluralForms::of("nplurals=4000000000; plural=0;"));
  EXPECT_FALSE(PluralForms::of(""));
}

TEST(PoLanguage, IsSpelledAsGettextSpellsIt) {
  EXPECT_EQ(po_language("pt-BR"), "pt_BR");
  EXPECT_EQ(po_language("sr-Latn-RS"), "sr_RS@latin");
  EXPECT_EQ(po_language("es-419"), "es_419");
  EXPECT_EQ(po_language("de"), "de");
}

TEST(Po, AHeaderWithoutFieldsGetsThem) {
  EXPECT_THAT(translated_po("msgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: x\\n\"\n"),
              StartsWith("msgid \"\"\nmsgstr \"\"\n\"Project-Id-Version: x\\n\"\n\"Language: de\\n\"\n"
                         "\"Plural-Forms: nplurals=2; plural=(n != 1);\\n\"\n"
                         "\"Content-Type: text/plain; charset=UTF-8\\n\"\n"));
}

TEST(Po, LineEndsOfTheFileStay) {
  EXPECT_EQ(translated_po("msgid \"a b\"\r\nmsgid_plural \"c d\"\r\nmsgstr[0] \"\"\r\nmsgstr[1] \"\""),
            "#, fuzzy\r\nmsgid \"a b\"\r\nmsgid_plural \"c d\"\r\nmsgstr[0] \"A B\"\r\nmsgstr[1] \"C D\"");
}

TEST(Po, EntriesNeedNoEmptyLineBetweenThem) {
  EXPECT_EQ(translated_po("msgid \"a b\"\nmsgstr \"\"\nmsgid \"c d\"\nmsgstr \"\"\n#: x\nmsgid \"e f\"\nmsgstr \"\"\n"),
            "#, fuzzy\nmsgid \"a b\"\nmsgstr \"A B\"\n#, fuzzy\nmsgid \"c d\"\nmsgstr \"C D\"\n"
            "#: x\n#, fuzzy\nmsgid \"e f\"\nmsgstr \"E F\"\n");
}

TEST(Po, BadFilesAreRefusedWithTheLine) {
  const auto message = [](const std::string& bytes) {
    try {
      translated_po(bytes);
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  EXPECT_THAT(message("msgid \"a\"\nmsgstr \"b\n"), StartsWith("a.po: line 2: wanted a string within quotation marks"));
  EXPECT_THAT(message("\nmsgstr \"b\"\n"), StartsWith("a.po: line 2: wanted msgctxt, msgid"));
  EXPECT_THAT(message("msgid \"a\"\n"), StartsWith("a.po: line 1: wanted msgstr after msgid"));
  EXPECT_THAT(message("Hello world\n"), StartsWith("a.po: line 1: wanted msgctxt, msgid"));
  EXPECT_THAT(message("msgid \"\xff\"\nmsgstr \"\"\n"), StartsWith("a.po: line 1: wanted text in UTF-8"));
}

/// Makes a PO file of random entries, all of them translated, obsolete or without words if `is_complete`.
std::string random_po(std::mt19937& random, bool is_complete) {
  const auto pick = [&](auto... options) {
    const std::vector<std::string> all{options...};
    return all[random() % all.size()];
  };
  auto result = kHeader;
  for (int entry = 0; entry < 20; ++entry) {
    for (auto lines = random() % 3; lines > 0; --lines)
      result += pick("# note\n", "#. x\n", "#: a.c:1\n", "#, c-format\n");
    if (random() % 4 == 0) {
      result += "#~ msgid \"gone\"\n#~ msgstr \"\"\n";
      continue;
    }
    if (random() % 4 == 0) result += "msgctxt \"c" + std::to_string(entry) + "\"\n";
    result += pick("msgid \"word %s\"\n", "msgid \"\"\n\"two\\n\"\n\"lines\\n\"\n", "  msgid  \"a \" \"b\\\"c\"\n");
    const auto text = is_complete ? pick("\"x\"", "\"\"\n\"y\"") : pick("\"\"", "\"\"\n\"\"");
    if (random() % 3 == 0)
      result += "msgid_plural \"many words\"\nmsgstr[0] " + text + "\nmsgstr[1] " + text + "\n";
    else
      result += "msgstr " + text + "\n";
    result += pick("", "\n", "\n\n");
  }
  return result;
}

TEST(Po, RandomFilesStayOrAreFilledOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto complete = random_po(random, true), open = random_po(random, false);
    EXPECT_EQ(translated_po(complete), complete);
    std::vector<std::string> texts;
    const auto once = translated_po(open, shouted, {"a.po", "", "", false}, &texts);
    EXPECT_FALSE(texts.empty());
    texts.clear();
    EXPECT_EQ(translated_po(once, shouted, {"a.po", "", "", false}, &texts), once);
    EXPECT_THAT(texts, IsEmpty());
  }
}

TEST(Po, FilesCutAnywhereAreReadOrRefused) {
  std::mt19937 random(8);
  const auto bytes = random_po(random, false) + "\nmsgid \"\\303\\244\\x41\"\nmsgstr \"\"\n";
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    try {
      EXPECT_GE(translated_po(bytes.substr(0, size)).size(), size);
    } catch (const DataError&) {
    }
  }
}

TEST(Po, EntriesHaveALimit) {
  std::string bytes = "msgid \"a\"\nmsgstr \"\"\n";
  for (int i = 0; i < 20; ++i) bytes += '"' + std::string(1 << 20, 'x').substr(10) + "\"\n";
  EXPECT_THROW(translated_po(bytes), DataError);
}

TEST(Po, AnotherLanguageIsRefused) {
  const auto read = [](const std::string& language) {
    const auto bytes = "msgid \"\"\nmsgstr \"\"\n\"Language: " + language + "\\n\"\n";
    return read_po(DocumentInput::of(bytes, "a.po"), {"a.po", "en", "nb", false})->next();
  };
  EXPECT_THROW(read("fr"), DataError);
  for (const auto* language : {"", "nb_NO", "no", "nob"}) EXPECT_TRUE(read(language)) << language;
}

}  // namespace
}  // namespace gloss
