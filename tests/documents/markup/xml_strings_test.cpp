#include "documents/markup/xml_strings.h"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;
using Reader = Passage (*)(std::string, const DocumentOptions&);

std::vector<std::string> texts_of(const Passage& passage) {
  std::vector<std::string> texts;
  for (const auto& unit : passage.units) texts.push_back(unit.source.text);
  return texts;
}

/// Returns a document whose texts `change` has translated.
std::string rendered_by(const Passage& passage, const std::function<void(std::string&)>& change) {
  std::vector<UnitTranslation> translations;
  for (const auto& unit : passage.units) {
    translations.emplace_back().target = unit.source;
    change(translations.back().target.text);
  }
  return translations.empty() ? passage.bytes : apply_replacements(passage.bytes, passage.render(translations));
}

std::string unchanged(const Passage& passage) {
  return rendered_by(passage, [](std::string&) {});
}
std::string in_capitals(const Passage& passage) {
  return rendered_by(passage, [](std::string& text) {
    for (auto& c : text)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  });
}

std::string android(const std::string& content) {
  return "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<resources>\n  <string name=\"s\">" + content +
         "</string>\n</resources>\n";
}
std::string android_text(const std::string& content) {
  const auto texts = texts_of(read_android_strings(android(content), {}));
  return texts.size() == 1 ? texts[0] : std::to_string(texts.size()) + " texts";
}
std::string android_capitals(const std::string& content) {
  const auto text = in_capitals(read_android_strings(android(content), {}));
  const auto begin = text.find("\"s\">") + 4;
  return text.substr(begin, text.rfind("</string>") - begin);
}

struct AndroidCase {
  std::string content;
  std::string value;       ///< printed by `aapt2 dump resources`
  std::string translated;  ///< aapt2 prints the value in capitals
};
const std::vector<AndroidCase> kAndroidCases = {
    {"Don\\'t  say\n       \\\"never\\\"", "Don't say \"never\"", "DON\\'T SAY \\\"NEVER\\\""},
    {"\"  Don't  trim  \"", "  Don't  trim  ", "\\u0020\\u0020DON\\'T \\u0020TRIM \\u0020"},
    {"tab\\there\\nnew \\u0020\\u0020two \\u00e9", "tab\there\nnew   two \xC3\xA9",
     "TAB\\tHERE\\nNEW \\u0020\\u0020TWO \xC3\xA9"},
    {"\n  trimmed  \n", "trimmed", "\n  TRIMMED  \n"},
    {"\\@mail \\? \\\\ back\\#", "@mail ? \\ back#", "\\@MAIL ? \\\\ BACK#"},
    {"\\u0020lead and trail\\u0020", " lead and trail ", "\\u0020LEAD AND TRAIL\\u0020"},
    {"<![CDATA[<b>raw</b> it\\'s &amp; \"  q\"]]>", "<b>raw</b> it's &amp;   q",
     "<![CDATA[<B>RAW</B> IT\\'S &AMP; \\u0020\\u0020Q]]>"},
    {"\\@string/no a &lt;b&gt; &amp;amp; &#169;", "@string/no a <b> &amp; \xC2\xA9",
     "\\@STRING/NO A &lt;B&gt; &amp;AMP; \xC2\xA9"},
    {"a \"quoted\\n 'x'\" b", "a quoted\n 'x' b", "A QUOTED\\n \\'X\\' B"},
    {"\"multi\n line\"", "multi\n line", "MULTI\\n LINE"},
};

TEST(AndroidStrings, DecodesAsTheResourceCompiler) {
  for (const auto& [content, value, translated] : kAndroidCases) {
    EXPECT_EQ(android_text(content), value) << content;
    EXPECT_EQ(android_capitals(content), translated) << content;
  }
  EXPECT_EQ(android_text("a \\ud83d\\ude00"), "a \xF0\x9F\x98\x80");
  EXPECT_EQ(android_text("lone \\ud83d"), "0 texts");
}

TEST(AndroidStrings, KeepsMarkup) {
  EXPECT_EQ(
      android_capitals("Read <b>it <i>now</i></b> <xliff:g id=\"n\">%1$s</xliff:g>, <a href=\"x\">it\\'s</a> &app;"),
      "READ <b>IT <i>NOW</i></b> <xliff:g id=\"n\">%1$s</xliff:g>, <a href=\"x\">IT\\'S</a> &app;");
}

TEST(AndroidStrings, ReadsManyAmpersands) {  // would take minutes in quadratic time
  const std::string ampersands(300'000, '&');
  EXPECT_EQ(android_text("a b" + ampersands), "a b" + ampersands);
}

TEST(AndroidStrings, ValuesForProgramsStay) {
  EXPECT_EQ(android_text("btn_primary"), "0 texts");
  EXPECT_THAT(texts_of(read_resx("<root><data name='a'><value>ID-12</value></data></root>", {})), IsEmpty());
}

TEST(AndroidStrings, FindsResources) {
  const auto passage = read_android_strings(
      "<resources><string name='a' translatable='false'>no</string><string-array name='b'><item>one</item>"
      "<item>@string/a</item></string-array><plurals name='c'><item quantity='one'>file</item></plurals>"
      "<string-array name='d' translatable='false'><item>no</item></string-array><string name='e'>?attr/no</string>"
      "<string name='f'>12</string><color name='g'>red</color><!-- no --><string name='h'/></resources>",
      {});
  std::vector<std::string> ids;
  for (const auto& unit : passage.units) ids.push_back(unit.id);
  EXPECT_THAT(ids, ElementsAre("string-array b, item", "plurals c, item one"));
}

std::string resx(const std::string& data) { return "<root>\r\n  " + data + "\r\n</root>"; }

TEST(Resx, TranslatesTexts) {
  const std::string data =
      "<data name=\"A\" xml:space=\"preserve\">\r\n    <value>Open {0} &amp; \"read\"&#xD;\r\nit</value>\r\n    "
      "<comment>Keep</comment></data>";
  const auto passage = read_resx(resx(data), {});
  EXPECT_EQ(passage.units.at(0).mode, SentenceMode::kParagraph);
  EXPECT_EQ(in_capitals(passage), resx("<data name=\"A\" xml:space=\"preserve\">\r\n    <value>OPEN {0} &amp; "
                                       "\"READ\"&#xD;\r\nIT</value>\r\n    <comment>Keep</comment></data>"));
}

TEST(Resx, KeepsOtherValues) {
  for (const std::string data :
       {"<data name='a' type='System.Drawing.Size'><value>a</value></data>",
        "<data name='>>a.Name'><value>a</value></data>", "<data name='&gt;&gt;a.Name'><value>a</value></data>",
        "<data name='a' mimetype='m'><value>a</value></data>", "<data name='$this.Name'><value>a</value></data>",
        "<data name='a'><value>a</value><comment>{Locked}</comment></data>", "<data name='a'/>",
        "<resheader name='reader'><value>a</value></resheader>", "<metadata name='a'><value>a</value></metadata>"})
    EXPECT_THAT(read_resx(resx(data), {}).units, IsEmpty()) << data;
  EXPECT_THAT(texts_of(read_resx(resx("<data name='$this.Text'><value>Title</value></data>"), {})),
              ElementsAre("Title"));
}

std::string qt(const std::string& message, const std::string& attributes = " language=\"de_DE\"") {
  return "<!DOCTYPE TS>\n<TS version=\"2.1\"" + attributes + ">\n<context>\n    <name>Window</name>\n    " + message +
         "\n</context>\n</TS>\n";
}
std::string qt_capitals(const std::string& document, const std::string& language = "de-DE") {
  DocumentOptions options;
  options.target_language = language;
  return in_capitals(read_qt_ts(document, options));
}

TEST(QtTs, TranslatesUnfinishedMessages) {
  const auto message = [](const std::string& translation) {
    return qt("<message><source>Open &lt;b&gt; <byte value=\"x1b\"/> it&apos;s</source><comment>c</comment>" +
              translation + "</message>");
  };
  EXPECT_EQ(qt_capitals(message("<translation type=\"unfinished\"></translation>")),
            message("<translation type=\"unfinished\">OPEN &lt;B&gt; <byte value=\"x1b\"/> IT'S</translation>"));
  for (const std::string kept : {"<translation>auf</translation>", "<translation type=\"unfinished\">auf</translation>",
                                 "<translation type=\"vanished\"></translation>", "<translation type=\"obsolete\"/>",
                                 "<translation variants=\"yes\"></translation>"})
    EXPECT_EQ(qt_capitals(message(kept)), message(kept));
}

TEST(QtTs, WritesEachPluralForm) {
  const std::string form = "\n            <numerusform>%N FILE(S)</numerusform>",
                    end = "\n        </translation></message>",
                    begin = "<message numerus=\"yes\"><source>%n file(s)</source><translation type=\"unfinished\">";
  const std::string empty = begin + "\n            <numerusform></numerusform>" + end;
  EXPECT_EQ(qt_capitals(qt(empty)), qt(begin + form + end));
  // The numbers of forms are those that `lupdate -target-language` of Qt 5.15 writes.
  EXPECT_EQ(qt_capitals(qt(empty, ""), "pt-BR"), qt(begin + form + form + end, " language=\"pt_BR\""));
  EXPECT_EQ(qt_capitals(qt(empty, ""), "ru"), qt(begin + form + form + form + end, " language=\"ru\""));
  EXPECT_EQ(qt_capitals(qt(empty, ""), "ja"), qt(begin + form + end, " language=\"ja\""));
  EXPECT_EQ(qt_capitals(qt(begin + end, " language=\"sl\""), "sl"),
            qt(begin + form + form + form + form + end, " language=\"sl\""));
}

TEST(QtTs, OverwritesTranslations) {
  DocumentOptions options;
  options.overwrite_translations = true;
  const auto text = qt("<message><source>Open</source><translation>auf</translation></message>");
  EXPECT_THAT(in_capitals(read_qt_ts(text, options)), HasSubstr("<translation type=\"unfinished\">OPEN</translation>"));
}

TEST(XmlStrings, RefuseOtherDocuments) {
  DocumentOptions options;
  options.name = "a.xml";
  for (const Reader read : {read_android_strings, read_resx, read_qt_ts}) {
    EXPECT_THAT([&] { read("<html/>", options); }, ThrowsMessage<DataError>(HasSubstr("a.xml: wanted <")));
    EXPECT_THROW(read("", options), DataError);
  }
}

std::string random_content(std::mt19937& random, int depth) {
  static const char* const kParts[] = {
      "word ",      "\\'",   "\\n",     "\"  two  \"",          "&amp;", "&app;", " \n ",
      "<!-- c -->", "<br/>", "\\u00e9", "<xliff:g>%s</xliff:g>"};
  std::string result;
  for (auto parts = 1 + random() % 6; parts > 0; --parts)
    result +=
        depth > 0 && random() % 4 == 0 ? "<b>" + random_content(random, depth - 1) + "</b>" : kParts[random() % 11];
  return result;
}

TEST(XmlStrings, KeepUnchangedTextsByteEqual) {
  std::mt19937 random(3);
  int texts = 0;
  for (int i = 0; i < 300; ++i) {
    const auto content = random_content(random, 3);
    const std::string documents[] = {android(content), resx("<data name='a'><value>" + content + "</value></data>")};
    EXPECT_EQ(unchanged(read_android_strings(documents[0], {})), documents[0]);
    EXPECT_EQ(unchanged(read_resx(documents[1], {})), documents[1]);
    const auto passage = read_android_strings(documents[0], {});
    texts += static_cast<int>(passage.units.size());
    // The capitals that are written are read again as they were meant.
    const auto again = texts_of(read_android_strings(in_capitals(passage), {}));
    std::string capitals = passage.units.empty() ? "" : passage.units[0].source.text;
    for (auto& c : capitals)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    EXPECT_EQ(again.empty() ? "" : again[0], capitals) << documents[0];
  }
  EXPECT_GT(texts, 200);
}

TEST(XmlStrings, SurviveDamage) {
  std::mt19937 random(4);
  const std::pair<Reader, std::string> documents[] = {
      {read_android_strings, android("a \\u00e9 \"b\" <b>c</b> \\ud83d\\ude00 &app;")},
      {read_resx, resx("<data name=\"a\"><value>b &amp; c</value></data>")},
      {read_qt_ts,
       qt("<message numerus=\"yes\"><source>a <byte/></source><translation><numerusform/></translation></message>")}};
  for (const auto& [read, bytes] : documents) {
    const auto end = bytes.find_last_not_of(" \n");
    for (std::size_t size = 0; size < end; ++size) EXPECT_THROW(read(bytes.substr(0, size), {}), DataError);
    for (int i = 0; i < 1000; ++i) {
      auto damaged = bytes;
      for (int change = 0; change < 3; ++change) damaged[random() % damaged.size()] = "<>/&\"\\ u!?-]"[random() % 12];
      try {
        in_capitals(read(damaged, {}));
      } catch (const DataError&) {
      }
    }
  }
}

TEST(QtTs, OtherLanguagesAreRefused) {
  const auto read = [](const std::string& attributes) {
    return read_qt_ts("<TS " + attributes + "/>", {.name = "a.ts", .source_language = "en", .target_language = "de"});
  };
  EXPECT_NO_THROW(read("language='de_AT' sourcelanguage='en_US'"));
  EXPECT_THAT([&] { read("language='pl_PL'"); },
              ThrowsMessage<DataError>(HasSubstr("a.ts: wanted the target language de, got pl_PL")));
  EXPECT_THAT([&] { read("sourcelanguage='fr'"); }, ThrowsMessage<DataError>(HasSubstr("source language en, got fr")));
}

TEST(QtTs, AMessageWithoutATranslationGetsOne) {
  const std::string begin = "<TS><context>\r\n  <message>\r\n    <source>A",
                    comment = "</source>\r\n    <comment>c</comment>";
  const std::string end = "\r\n  </message>\r\n</context></TS>";
  EXPECT_EQ(unchanged(read_qt_ts(begin + comment + end, {})),
            begin + comment + "\r\n    <translation type=\"unfinished\">A</translation>" + end);
  EXPECT_EQ(unchanged(read_qt_ts("<TS><message><source>A</source></message></TS>", {})),
            "<TS><message><source>A</source><translation type=\"unfinished\">A</translation></message></TS>");
}

TEST(QtTs, ReadsManyMessagesOfAContext) {  // would take a minute in quadratic time
  std::string messages;
  for (int i = 0; i < 50'000; ++i) messages += "<message><source>A</source><translation/></message>";
  const auto passage = read_qt_ts("<TS><context>" + messages + "<name>c</name></context></TS>", {});
  EXPECT_EQ(passage.units.size(), 50'000U);
  EXPECT_EQ(passage.units.back().id, "message of c");
}

}  // namespace
}  // namespace gloss
