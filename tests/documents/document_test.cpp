#include "documents/document.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/document_input.h"
#include "tests/documents/model/reader_helpers.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Writes a document with fake translations and finishes it. Returns the texts of its units.
std::vector<std::string> translate(Document& document, const FakeTranslation& fake) {
  std::vector<std::string> texts;
  EXPECT_EQ(document.share_read(), 0);
  double share = 0;
  while (const auto passage = document.next()) {
    document.write(rendered_passage(*passage, fake, &texts));
    EXPECT_GE(document.share_read(), share);
    share = document.share_read();
    EXPECT_LE(share, 1);
  }
  document.finish();
  return texts;
}

std::string translated_text(const std::string& bytes, const DocumentSettings& settings,
                            const FakeTranslation& fake = shouted) {
  std::string output;
  const auto document = open_text(bytes, output, settings);
  translate(*document, fake);
  return output;
}

DocumentSettings in_format(const std::string& format, std::optional<SentenceMode> mode = {}) {
  DocumentSettings settings;
  settings.format = format;
  settings.mode = mode;
  return settings;
}

/// Returns UTF-8 in another encoding, with its byte order mark.
std::string encoded(const std::string& text, TextEncoding encoding) {
  return std::string(byte_order_mark(encoding)) + encode_text(text, encoding);
}

constexpr auto kEncodings = {TextEncoding::kUtf8,        TextEncoding::kUtf8WithMark,
                             TextEncoding::kUtf16Little, TextEncoding::kUtf16LittleWithMark,
                             TextEncoding::kUtf16Big,    TextEncoding::kUtf16BigWithMark};

/// A small document of each format of text, and the same in upper case.
struct Sample {
  std::string format, text, shouted_text;
};
std::vector<Sample> samples() {
  return {{"txt", "one \u00e4 \U0001f600\r\n\r\ntwo\n", "ONE \u00e4 \U0001f600\r\n\r\nTWO\n"},
          {"markdown", "# one\n\n`code` two\n", "# ONE\n\n`code` TWO\n"},
          {"html", "<p id=a>one \u00e4</p>\r\n", "<p id=a>ONE \u00e4</p>\r\n"},
          {"srt", "1\n00:00:01,000 --> 00:00:02,000\none\n", "1\n00:00:01,000 --> 00:00:02,000\nONE\n"},
          {"vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\none\n", "WEBVTT\n\n00:01.000 --> 00:02.000\nONE\n"},
          {"json", "{\"a\": \"one\"}\n", "{\"a\": \"ONE\"}\n"},
          {"properties", "a=one\n", "a=ONE\n"},
          {"strings", "\"a\" = \"one\";\n", "\"a\" = \"ONE\";\n"},
          {"android", "<resources><string name=\"a\">one</string></resources>\n",
           "<resources><string name=\"a\">ONE</string></resources>\n"}};
}

class DocumentTest : public testing::Test {
 protected:
  /// Returns a document that is translated from and to this folder.
  std::unique_ptr<Document> open(const std::string& name, const DocumentSettings& settings = {}) const {
    return open_document(folder_ / name, folder_ / "out", settings);
  }
  std::string translated(const std::string& name, const std::string& bytes, const DocumentSettings& settings = {}) {
    write(folder_ / name, bytes);
    const auto document = open(name, settings);
    texts_ = translate(*document, shouted);
    return read(folder_ / "out");
  }
  std::size_t files() const {
    const std::filesystem::directory_iterator begin(folder_.path());
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  TemporaryFolder folder_;
  std::vector<std::string> texts_;
};

TEST_F(DocumentTest, TheOutputHasTheEncodingOfTheInput) {
  for (const auto& [format, text, shouted_text] : samples())
    for (const auto encoding : kEncodings) {
      SCOPED_TRACE(format + " in encoding " + std::to_string(static_cast<int>(encoding)));
      const auto bytes = encoded(text, encoding);
      EXPECT_EQ(translated_text(bytes, in_format(format), unchanged), bytes);
      EXPECT_EQ(translated_text(bytes, in_format(format)), encoded(shouted_text, encoding));
      EXPECT_EQ(translated("in", bytes, in_format(format)), encoded(shouted_text, encoding));
    }
}

TEST_F(DocumentTest, EmptyDocumentsStayAndKeepTheirMark) {
  for (const auto encoding : kEncodings) {
    const std::string mark(byte_order_mark(encoding));
    for (const auto* format : {"txt", "html", "po", "srt", "properties"})
      EXPECT_EQ(translated_text(mark, in_format(format)), mark) << format;
  }
}

TEST_F(DocumentTest, TheEndingOfTheNameGivesTheFormat) {
  for (const auto& [name, bytes, wanted] : std::vector<std::tuple<std::string, std::string, std::string>>{
           {"a.txt", "<b>one</b>", "<b>ONE</b>"},
           {"a.html", "<p class=x>one</p>", "<p class=x>ONE</p>"},
           {"a.HTM", "<p class=x>one</p>", "<p class=x>ONE</p>"},
           {"a.b.Json", "{\"a\": \"one\"}", "{\"a\": \"ONE\"}"},
           {"a.arb", "{\"a\": \"one\"}", "{\"a\": \"ONE\"}"},
           {"a.md", "`a` one\n", "`a` ONE\n"},
           {"a.po", "msgid \"one\"\nmsgstr \"\"\n", "#, fuzzy\nmsgid \"one\"\nmsgstr \"ONE\"\n"},
           {"a.properties", "a = one\n", "a = ONE\n"}})
    EXPECT_THAT(translated(name, bytes), HasSubstr(wanted)) << name;
}

TEST_F(DocumentTest, EachFormatHasANameAndEndingsOfItsOwn) {
  std::vector<std::string_view> names, endings;
  for (const auto& format : document_formats()) {
    names.push_back(format.name);
    EXPECT_FALSE(format.description.empty()) << format.name;
    for (const auto ending : format.endings) {
      endings.push_back(ending);
      EXPECT_TRUE(ending.starts_with('.')) << ending;
      EXPECT_TRUE(std::ranges::none_of(ending, [](char c) { return c >= 'A' && c <= 'Z'; })) << ending;
    }
  }
  for (auto* list : {&names, &endings}) {
    std::ranges::sort(*list);
    EXPECT_EQ(std::ranges::adjacent_find(*list), list->end());
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"txt", "html", "srt", "po", "xliff", "json", "docx", "epub"}));
}

TEST_F(DocumentTest, StringsOfAndroidAreFoundByTheirRoot) {
  const std::string strings =
      "<?xml version=\"1.0\"?>\n<!-- note -->\n<resources>\n  <string name=\"a\">one</string>\n</resources>\n";
  EXPECT_THAT(translated("strings.xml", strings), HasSubstr("<string name=\"a\">ONE</string>"));
  EXPECT_THAT(texts_, ElementsAre("one"));
  for (const auto* other : {"<data><string name=\"a\">one</string></data>", "", "no xml"}) {
    write(folder_ / "other.xml", other);
    EXPECT_THAT([&] { open("other.xml"); }, ThrowsMessage<DataError>(HasSubstr("; set format to one of txt, ")));
  }
}

TEST_F(DocumentTest, StringsOfAndroidAreFoundInUtf16) {
  const auto strings =
      encoded("<resources><string name=\"a\">one</string></resources>", TextEncoding::kUtf16LittleWithMark);
  EXPECT_NE(translated("strings.xml", strings), strings);
}

TEST_F(DocumentTest, WhatGlossDoesNotTranslateIsRefusedWithAReason) {
  for (const auto& [name, reason] :
       std::vector<std::pair<std::string, std::string>>{{"a.pdf", "cannot translate pdf: a PDF holds places of glyphs"},
                                                        {"a.PDF", "cannot translate pdf"},
                                                        {"a.doc", "save it as .docx first"},
                                                        {"a.xls", "save it as .xlsx first"},
                                                        {"a.ppt", "save it as .pptx first"},
                                                        {"a.rtf", "save it as .docx or .odt first"},
                                                        {"a.mo", "translate the .po file that it was made from"},
                                                        {"a.odf", "the ending does not tell the format"},
                                                        {"pdf", "the ending does not tell the format"}}) {
    write(folder_ / name, "one");
    EXPECT_THAT([&] { open(name); }, ThrowsMessage<DataError>(HasSubstr(reason))) << name;
    std::filesystem::remove(folder_ / name);
  }
  EXPECT_EQ(files(), 0u) << "there is an output";
  EXPECT_EQ(translated("a.pdf", "one", in_format("txt")), "ONE") << "a format that is given counts";
}

TEST_F(DocumentTest, TheOutputHasTheEndingOfItsFormat) {
  write(folder_ / "a.html", "one");
  for (const auto* name : {"b.pdf", "b.docx", "b.TXT"})
    EXPECT_THAT([&] { open_document(folder_ / "a.html", folder_ / name, {}); },
                ThrowsMessage<UsageError>(HasSubstr("output: wanted a name that ends as html does")));
  for (const auto* name : {"b.htm", "b.de", "b"})
    EXPECT_NO_THROW(open_document(folder_ / "a.html", folder_ / name, {})) << name;
  EXPECT_NO_THROW(open_document(folder_ / "a.html", folder_ / "b.md", in_format("txt")))
      << "a format that is given counts";
}

TEST_F(DocumentTest, TranslationsAreOverwrittenWhereThereAreSome) {
  write(folder_ / "a.html", "one");
  DocumentSettings settings;
  settings.overwrite_translations = true;
  EXPECT_THAT([&] { open("a.html", settings); },
              ThrowsMessage<UsageError>(HasSubstr("overwrite_translations: has no effect on html")));
  write(folder_ / "a.po", "msgid \"one\"\nmsgstr \"\"\n");
  EXPECT_NO_THROW(open("a.po", settings));
}

TEST_F(DocumentTest, UnknownFormatsAreRefused) {
  std::string output;
  for (const auto* format : {"odf", "htmls", ".html"}) {
    EXPECT_THAT([&] { open_text("one", output, in_format(format)); },
                ThrowsMessage<UsageError>(HasSubstr("format: wanted one of txt, markdown, html")));
    write(folder_ / "a.html", "one");
    EXPECT_THAT([&] { open("a.html", in_format(format)); }, ThrowsMessage<UsageError>(HasSubstr("got "s + format)));
  }
  for (const auto* format : {"docx", "odt", "epub"})
    EXPECT_THAT([&] { open_text("one", output, in_format(format)); },
                ThrowsMessage<UsageError>(HasSubstr("wanted a format of text")));
  EXPECT_THAT(output, IsEmpty());
  for (const auto* format : {"HTML", "htm"}) EXPECT_NO_THROW(open_text("one", output, in_format(format))) << format;
}

TEST_F(DocumentTest, MissingFilesAndFoldersAreRefused) {
  std::filesystem::create_directory(folder_ / "folder.txt");
  for (const auto* name : {"none.txt", "none.html", "none.docx", "folder.txt"}) EXPECT_THROW(open(name), Error) << name;
  EXPECT_EQ(files(), 1u);
}

TEST_F(DocumentTest, BytesThatAreNoTextAreRefused) {
  std::string output;
  for (const auto* format : {"txt", "html", "json", "po", "srt", "android"})
    for (const auto& bytes : {"one\n\xff"s, "one\0two"s, "\xff\xfeo"s, "one \xe4"s})
      EXPECT_THROW(translate(*open_text(bytes, output, in_format(format)), shouted), DataError) << format;
}

TEST_F(DocumentTest, TheOutputAppearsWhenItIsFinished) {
  write(folder_ / "a.txt", "one\ntwo\n");
  write(folder_ / "out", "old");
  {
    const auto document = open("a.txt");
    while (const auto passage = document->next()) document->write(passage->bytes);
    EXPECT_EQ(read(folder_ / "out"), "old");
  }
  EXPECT_EQ(read(folder_ / "out"), "old");
  EXPECT_EQ(files(), 2u);
  EXPECT_EQ(translated("a.txt", "one\n"), "ONE\n");
  EXPECT_EQ(files(), 2u);
}

TEST_F(DocumentTest, TheOutputMayBeTheInput) {
  write(folder_ / "out", "one\n");
  EXPECT_EQ(translated("out", "one\n", in_format("txt")), "ONE\n");
}

TEST_F(DocumentTest, LongTextsAreReadInPassages) {
  std::string text, shouted_text;
  for (int i = 0; i < 3000; ++i) {
    text += "line " + std::to_string(i) + " \u00e4\n";
    shouted_text += "LINE " + std::to_string(i) + " \u00e4\n";
  }
  for (const auto encoding : {TextEncoding::kUtf8, TextEncoding::kUtf16BigWithMark}) {
    std::string output;
    const auto document = open_text(encoded(text, encoding), output, in_format("txt", SentenceMode::kLine));
    int passages = 0;
    while (const auto passage = document->next()) {
      document->write(rendered_passage(*passage, shouted));
      ++passages;
    }
    document->finish();
    EXPECT_GT(passages, 10);
    EXPECT_EQ(output, encoded(shouted_text, encoding));
  }
}

TEST_F(DocumentTest, ReadersGetTheSettings) {
  const std::string po = "msgid \"one\"\nmsgstr \"eins\"\n";
  EXPECT_EQ(translated("a.po", po), po);
  auto settings = in_format("po");
  settings.overwrite_translations = true;
  EXPECT_THAT(translated("a.po", po, settings), HasSubstr("ONE"));
  EXPECT_EQ(translated("a.txt", "one\ntwo\n\nthree", in_format("txt", SentenceMode::kWrapped)), "ONE\nTWO\n\nTHREE");
  EXPECT_THAT(texts_, ElementsAre("one\ntwo", "three"));
  write(folder_ / "bad.json", "{\"a\": ");
  EXPECT_THAT([&] { open("bad.json"); }, ThrowsMessage<DataError>(HasSubstr("bad.json: ")));
}

}  // namespace
}  // namespace gloss
