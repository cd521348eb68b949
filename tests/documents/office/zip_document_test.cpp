#include "documents/office/zip_document.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "tests/documents/model/office_helpers.h"
#include "tests/documents/office/stored_archive.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// Files in a folder of their own.
class ZipDocuments : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("gloss_zip_") + info->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  ZipDocument open(const std::string& bytes, ZipFormat format = ZipFormat::kOpenDocument) const {
    std::ofstream(folder_ / "in", std::ios::binary) << bytes;
    return {folder_ / "in", {.name = "in", .source_language = "en", .target_language = "de"}, format};
  }
  std::string message_of(const std::string& bytes, ZipFormat format = ZipFormat::kOpenDocument) const {
    try {
      auto document = open(bytes, format);
      while (document.next()) continue;
    } catch (const DataError& error) {
      return error.what();
    }
    return "";
  }
  std::string finished(ZipDocument& document) const {
    while (const auto passage = document.next()) document.write(upper_cased_bytes(*passage));
    document.finish(folder_ / "out");
    return read_file(folder_ / "out", 1 << 20);
  }

  const StoredEntry mimetype_{"mimetype", "application/vnd.oasis.opendocument.text"};
  fs::path folder_;
};

const std::string kContent = "<office:document-content><text:p>the text</text:p></office:document-content>";

TEST_F(ZipDocuments, EntriesKeepTheirOrderAndOthersTheirBytes) {
  auto document =
      open(archive_of({mimetype_, {"Pictures/a.png", "\x89PNG..."}, {"content.xml", kContent}, {"z/", ""}}));
  EXPECT_EQ(document.share_read(), 0);
  const auto bytes = finished(document);
  EXPECT_EQ(document.share_read(), 1);
  EXPECT_THAT(bytes.substr(30, 47), HasSubstr("mimetypeapplication/vnd.oasis.opendocument.text"));
  const auto picture = bytes.find("Pictures/a.png\x89PNG..."), content = bytes.find("content.xml<office");
  EXPECT_LT(picture, content);
  EXPECT_LT(content, bytes.find("z/PK"));
  EXPECT_THAT(bytes, HasSubstr("<text:p>THE TEXT</text:p>"));
}

TEST_F(ZipDocuments, ADocumentWithoutChangesHasTheSameBytes) {
  const auto bytes = archive_of({mimetype_, {"content.xml", kContent}});
  auto document = open(bytes);
  while (const auto passage = document.next()) document.write(kept_bytes(*passage));
  document.finish(folder_ / "out");
  const auto written = read_file(folder_ / "out", 1 << 20);
  EXPECT_EQ(written.size(), bytes.size());
  EXPECT_THAT(written, HasSubstr("content.xml" + kContent));
}

TEST_F(ZipDocuments, PartsInUtf16KeepTheirEncoding) {
  std::string wide = "\xFF\xFE";
  for (const auto c : kContent) wide += std::string{c, '\0'};
  auto document = open(archive_of({mimetype_, {"content.xml", wide}}));
  const std::string text("\xFF\xFE<\0o\0", 6), translated("T\0E\0X\0T\0", 8);
  EXPECT_THAT(finished(document), testing::AllOf(HasSubstr("content.xml" + text), HasSubstr(translated)));
}

TEST_F(ZipDocuments, BooksAreReadByTheirPackage) {
  const auto document_bytes = archive_of(
      {{"mimetype", "application/epub+zip"},
       {"META-INF/container.xml", "<container><rootfiles><rootfile full-path=\"E/p.opf\"/></rootfiles></container>"},
       {"E/p.opf",
        "<package><metadata><dc:title>The book</dc:title><dc:language>en</dc:language></metadata><manifest><item "
        "href=\"t%20x/a.xhtml\" media-type=\"application/xhtml+xml\"/><item href=\"../toc.ncx\" "
        "media-type=\"application/x-dtbncx+xml\"/></manifest></package>"},
       {"E/t x/a.xhtml", "<html xmlns=\"http://www.w3.org/1999/xhtml\"><body><p>a page</p></body></html>"},
       {"toc.ncx", "<ncx><navMap><navPoint><navLabel><text>chapter</text></navLabel></navPoint></navMap></ncx>"}});
  auto document = open(document_bytes, ZipFormat::kEpub);
  const auto bytes = finished(document);
  for (const auto* text :
       {"<dc:title>THE BOOK</dc:title><dc:language>de</dc:language>", "<p>A PAGE</p>", "<text>CHAPTER</text>"})
    EXPECT_THAT(bytes, HasSubstr(text));
}

TEST_F(ZipDocuments, HostileArchivesAreRefused) {
  EXPECT_THAT(message_of("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1 an old file"), HasSubstr("save it as .docx"));
  EXPECT_THAT(message_of("some text"), HasSubstr("wanted a document in a ZIP archive"));
  EXPECT_THAT(message_of(archive_of({{"../content.xml", kContent}})), HasSubstr("a place within the archive"));
  EXPECT_THAT(message_of(archive_of({{"/content.xml", kContent}})), HasSubstr("a place within the archive"));
  EXPECT_THAT(message_of(archive_of({{"content.xml", kContent}, {"Content.xml", kContent}})), HasSubstr("once"));
  EXPECT_THAT(message_of(archive_of({{"content.xml", kContent, 1}})), HasSubstr("encrypted"));
  EXPECT_THAT(message_of(archive_of({{"content.xml", kContent, 0, 300 << 20, 8}})), HasSubstr("at most"));
  EXPECT_THAT(message_of(archive_of({{"content.xml", kContent, 0, 30 << 20, 8}})), HasSubstr("200 times the file"));
  std::ofstream(folder_ / "in", std::ios::binary) << archive_of({{"content.xml", kContent}});
  DocumentOptions options{.name = "in", .source_language = {}, .target_language = {}, .max_text_bytes = 10};
  const auto read_all = [&] {
    ZipDocument document(folder_ / "in", options, ZipFormat::kOpenDocument);
    while (document.next()) continue;
  };
  EXPECT_THROW(read_all(), DataError);
  options.max_text_bytes = 100'000;
  EXPECT_NO_THROW(read_all());
  EXPECT_THAT(message_of(archive_of({{"content.xml", kContent, 0, 0, 12}})), HasSubstr("method 12"));
  EXPECT_THAT(message_of(archive_of({{"other", ""}}), ZipFormat::kOoxml), HasSubstr("[Content_Types].xml"));
  EXPECT_THAT(message_of(archive_of({{"other", ""}}), ZipFormat::kEpub), HasSubstr("META-INF/container.xml"));
  std::vector<StoredEntry> many;
  for (int i = 0; i < 20'001; ++i) many.push_back({std::to_string(i), ""});
  EXPECT_THAT(message_of(archive_of(many)), HasSubstr("wanted at most 20000 entries, got 20001"));
}

TEST_F(ZipDocuments, DamagedArchivesAreRefused) {
  auto bytes = archive_of({mimetype_, {"content.xml", kContent}});
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_NE(message_of(bytes.substr(0, size)), "") << size;
  bytes[bytes.find("the text")] = 'T';
  EXPECT_THAT(message_of(bytes), HasSubstr("the file is damaged"));
}

TEST_F(ZipDocuments, NothingIsLeftWithoutFinish) {
  auto document = open(archive_of({mimetype_, {"content.xml", kContent}}));
  while (const auto passage = document.next()) document.write(kept_bytes(*passage));
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
  EXPECT_THAT(names, ElementsAre("in"));
}

}  // namespace
}  // namespace gloss
