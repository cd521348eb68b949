#include "documents/document.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include "common/error.h"
#include "common/files/atomic_file.h"
#include "common/files/document_input.h"
#include "common/text/letter_case.h"
#include "common/text/printable.h"
#include "documents/formats/apple_strings.h"
#include "documents/formats/json_strings.h"
#include "documents/formats/plain_text.h"
#include "documents/formats/po.h"
#include "documents/formats/properties.h"
#include "documents/formats/subtitles.h"
#include "documents/formats/tmx.h"
#include "documents/formats/yaml_strings.h"
#include "documents/markup/html.h"
#include "documents/markup/markdown.h"
#include "documents/markup/xliff.h"
#include "documents/markup/xml_strings.h"
#include "documents/office/zip_document.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

/// Reads a document that is one passage.
class WholeReader final : public PassageReader {
 public:
  explicit WholeReader(Passage passage) : passage_(std::move(passage)) {}
  std::optional<Passage> next() override { return std::exchange(passage_, std::nullopt); }

 private:
  std::optional<Passage> passage_;
};

/// Takes the bytes of a translated document.
struct DocumentOutput {
  std::function<void(std::string_view bytes)> write;
  std::function<void()> finish;
};

DocumentOutput file_output(const fs::path& path) {
  const auto file = std::make_shared<AtomicFile>(path);
  return {[file](std::string_view bytes) { file->write(bytes); }, [file] { file->commit(); }};
}

/// A document of text. The output has the encoding of the input.
class TextDocument final : public Document {
 public:
  TextDocument(TextEncoding encoding, std::unique_ptr<PassageReader> reader, std::uint64_t size, DocumentOutput output)
      : encoding_(encoding), reader_(std::move(reader)), size_(size), output_(std::move(output)) {
    output_.write(byte_order_mark(encoding));
  }

  std::optional<Passage> next() override {
    auto passage = reader_->next();
    if (passage) read_ += passage->bytes.size();
    return passage;
  }
  void write(std::string_view bytes) override { output_.write(encode_text(bytes, encoding_)); }
  void finish() override { output_.finish(); }
  double share_read() const override { return std::min(1.0, static_cast<double>(read_) / static_cast<double>(size_)); }

 private:
  TextEncoding encoding_;
  std::unique_ptr<PassageReader> reader_;
  std::uint64_t read_ = 0, size_;  ///< bytes in UTF-8, and in the encoding of the document
  DocumentOutput output_;
};

/// An office document or a book: a ZIP file of parts.
class ArchiveDocument final : public Document {
 public:
  ArchiveDocument(const fs::path& input, fs::path output, const DocumentOptions& options, ZipFormat format)
      : zip_(input, options, format), output_(std::move(output)) {}

  std::optional<Passage> next() override { return zip_.next(); }
  void write(std::string_view bytes) override { zip_.write(std::string(bytes)); }
  void finish() override { zip_.finish(output_); }
  double share_read() const override { return zip_.share_read(); }

 private:
  ZipDocument zip_;
  fs::path output_;
};

constexpr std::string_view kPlainText = "txt", kProperties = "properties";

using ReadStream = std::unique_ptr<PassageReader> (*)(DocumentInput, const DocumentOptions&);
using ReadTree = Passage (*)(std::string, const DocumentOptions&);

/// A format and its reader.
struct FormatReader {
  DocumentFormat format;
  std::variant<ReadStream, ReadTree, ZipFormat> read;
};

const std::vector<FormatReader>& format_readers() {
  static const std::vector<FormatReader> readers{
      {{kPlainText, {".txt"}, "plain text"}, ReadStream(nullptr)},
      {{"markdown", {".md", ".markdown"}, "Markdown"}, read_markdown},
      {{"html", {".html", ".htm", ".xhtml"}, "web pages"}, read_html},
      {{"srt", {".srt"}, "SubRip subtitles"}, read_srt},
      {{"vtt", {".vtt"}, "WebVTT subtitles"}, read_vtt},
      {{"xliff", {".xlf", ".xliff", ".sdlxliff", ".mqxliff", ".mxliff"}, "XLIFF 1.2 and 2", true}, read_xliff},
      {{"tmx", {".tmx"}, "translation memories", true}, read_tmx},
      {{"po", {".po", ".pot"}, "gettext", true}, read_po},
      {{"json", {".json"}, "JSON with texts as values"}, read_json},
      {{"arb", {".arb"}, "Flutter's resource bundles"}, read_json},
      {{"yaml", {".yaml", ".yml"}, "YAML with texts as values"}, read_yaml},
      {{kProperties, {".properties"}, "Java's resource bundles"}, read_properties},
      {{"strings", {".strings"}, "Apple's string tables"}, read_apple_strings},
      {{"android", {}, "Android's string resources (strings.xml)"}, read_android_strings},
      {{"resx", {".resx", ".resw"}, ".NET resources"}, read_resx},
      {{"ts", {".ts"}, "Qt Linguist", true}, read_qt_ts},
      {{"docx", {".docx", ".docm"}, "Word"}, ZipFormat::kOoxml},
      {{"pptx", {".pptx", ".pptm"}, "PowerPoint"}, ZipFormat::kOoxml},
      {{"xlsx", {".xlsx", ".xlsm"}, "Excel"}, ZipFormat::kOoxml},
      {{"odt", {".odt", ".ott"}, "OpenDocument text"}, ZipFormat::kOpenDocument},
      {{"odp", {".odp", ".otp"}, "OpenDocument slides"}, ZipFormat::kOpenDocument},
      {{"epub", {".epub"}, "books"}, ZipFormat::kEpub},
  };
  return readers;
}

/// Reasons why documents with these endings are refused.
constexpr auto kRefused = std::to_array<std::pair<std::string_view, std::string_view>>({
    {".pdf",
     "a PDF holds places of glyphs, not paragraphs; translate the document that it was made from, or convert it "
     "to .docx or .html first"},
    {".doc", "save it as .docx first"},
    {".ppt", "save it as .pptx first"},
    {".xls", "save it as .xlsx first"},
    {".rtf", "save it as .docx or .odt first"},
    {".mo", "translate the .po file that it was made from"},
});

std::string names_of_formats() {
  std::string names;
  for (const auto& format : document_formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

std::string lower_ending(const fs::path& path) { return lower_ascii(path.extension().string()); }

/// Returns whether an XML file has the strings of an Android program.
bool is_android(const fs::path& path, const std::string& name) {
  constexpr int kMaxLines = 100;
  DocumentInput input(path, name);
  std::string line;
  for (int i = 0; i < kMaxLines && input.next_line(line); ++i)
    if (line.find("<resources") != line.npos) return true;
  return false;
}

bool begins_as_pdf(const fs::path& path) {
  std::error_code error;
  std::string begin(5, '\0');
  return fs::is_regular_file(path, error) && std::ifstream(path).read(begin.data(), 5) && begin == "%PDF-";
}

const FormatReader& reader_named(const fs::path& input, const std::string& format, const std::string& name) {
  const auto& readers = format_readers();
  auto wanted = lower_ascii(format);
  for (const auto& reader : readers)  // "md"
    if (std::ranges::find(reader.format.endings, '.' + wanted) != reader.format.endings.end())
      wanted = reader.format.name;
  const auto ending = wanted.empty() && begins_as_pdf(input) ? ".pdf" : lower_ending(input);
  if (wanted.empty()) {
    if (ending == ".xml" && is_android(input, name)) wanted = "android";
    if (const auto reason = why_refused(ending); !reason.empty())
      throw DataError(name + ": cannot translate " + ending.substr(1) + ": " + std::string(reason));
    for (const auto& reader : readers)
      if (std::ranges::find(reader.format.endings, ending) != reader.format.endings.end()) wanted = reader.format.name;
  }
  const auto found = std::ranges::find(readers, wanted, [](const auto& reader) { return reader.format.name; });
  if (found != readers.end()) return *found;
  if (!format.empty())
    throw UsageError({Key{"format"}, ": wanted one of " + names_of_formats() + ", got " + printable(format)});
  throw DataError(name + ": the ending does not tell the format; set format to one of " + names_of_formats());
}

const FormatReader& reader_of(const fs::path& input, const DocumentSettings& settings, const std::string& name) {
  const auto& reader = reader_named(input, settings.format, name);
  if (settings.mode && reader.format.name != kPlainText)
    throw UsageError({Key{"split"}, ": has an effect on plain text only; a unit of " + std::string(reader.format.name) +
                                        " is a paragraph, cell or message, whose sentences are found"});
  if (settings.overwrite_translations && !reader.format.has_translations)
    throw UsageError({Key{"overwrite_translations"},
                      ": has no effect on " + std::string(reader.format.name) + ", which holds no translations"});
  return reader;
}

/// Throws UsageError if the ending of an output is that of another format.
void expect_same_format(const FormatReader& reader, const fs::path& output) {
  const auto ending = lower_ending(output);
  const auto& own = reader.format.endings;
  const auto has_ending = [&](const auto& other) {
    return std::ranges::find(other.format.endings, ending) != other.format.endings.end();
  };
  if (std::ranges::find(own, ending) == own.end() &&
      (!why_refused(ending).empty() || std::ranges::any_of(format_readers(), has_ending)))
    throw UsageError({Key{"output"}, ": wanted a name that ends as " + std::string(reader.format.name) +
                                         " does, since the format stays, got " + printable(output.string())});
}

DocumentOptions options_of(const DocumentSettings& settings, const std::string& name) {
  return {.name = name,
          .source_language = settings.source_language,
          .target_language = settings.target_language,
          .overwrite_translations = settings.overwrite_translations,
          .max_text_bytes = settings.max_text_bytes};
}

std::unique_ptr<Document> text_document(const FormatReader& format, DocumentInput input, std::uint64_t size,
                                        DocumentOutput output, const DocumentSettings& settings) {
  const auto encoding = input.encoding();
  const auto options = options_of(settings, input.name());
  std::unique_ptr<PassageReader> reader;
  if (format.format.name == kPlainText)
    reader = read_plain_text(std::move(input), options, settings.mode.value_or(SentenceMode::kParagraph));
  else if (const auto* stream = std::get_if<ReadStream>(&format.read))
    reader = (*stream)(std::move(input), options);
  else
    reader = std::make_unique<WholeReader>(std::get<ReadTree>(format.read)(input.rest(kMaxTreeBytes), options));
  return std::make_unique<TextDocument>(encoding, std::move(reader), std::max<std::uint64_t>(1, size),
                                        std::move(output));
}

/// Opens a document whose reader decodes the bytes itself.
std::unique_ptr<Document> byte_document(const FormatReader& format, std::string bytes, DocumentOutput output,
                                        const DocumentOptions& options) {
  const auto size = std::max<std::uint64_t>(1, bytes.size());
  auto passage = std::get<ReadTree>(format.read)(std::move(bytes), options);
  return std::make_unique<TextDocument>(TextEncoding::kUtf8, std::make_unique<WholeReader>(std::move(passage)), size,
                                        std::move(output));
}

}  // namespace

const std::vector<DocumentFormat>& document_formats() {
  static const auto formats = [] {
    std::vector<DocumentFormat> result;
    for (const auto& reader : format_readers()) result.push_back(reader.format);
    return result;
  }();
  return formats;
}

std::string_view why_refused(std::string_view ending) {
  const auto found = std::ranges::find(kRefused, ending, [](const auto& pair) { return pair.first; });
  return found == kRefused.end() ? std::string_view() : found->second;
}

std::unique_ptr<Document> open_document(const fs::path& input, const fs::path& output,
                                        const DocumentSettings& settings) {
  const auto name = printable(input.string());
  const auto& format = reader_of(input, settings, name);
  if (settings.format.empty()) expect_same_format(format, output);
  if (const auto* zip = std::get_if<ZipFormat>(&format.read))
    return std::make_unique<ArchiveDocument>(input, output, options_of(settings, name), *zip);
  DocumentInput text(input, name);
  if (format.format.name == kProperties && text.encoding() == TextEncoding::kUtf8)  // or Latin-1: its reader decodes
    return byte_document(format, read_file(input, kMaxTreeBytes), file_output(output), options_of(settings, name));
  std::error_code error;
  const auto size = fs::file_size(input, error);
  return text_document(format, std::move(text), error ? 0 : size, file_output(output), settings);
}

std::unique_ptr<Document> open_text(std::string bytes, std::string& output, const DocumentSettings& settings) {
  const auto& format = reader_of({}, settings, "text");
  if (std::holds_alternative<ZipFormat>(format.read))
    throw UsageError({Key{"format"}, ": wanted a format of text, got " + settings.format});
  const auto size = bytes.size();
  return text_document(format, DocumentInput::of(std::move(bytes), "text"), size,
                       {[&output](std::string_view part) { output += part; }, [] {}}, settings);
}

}  // namespace gloss
