#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "documents/model/passage.h"

namespace gloss {

/// A document that is read and written passage by passage. The output appears when it is complete, or not at all.
class Document {
 public:
  virtual ~Document() = default;
  /// Returns the next passage; nothing at the end. Throws DataError, IoError.
  virtual std::optional<Passage> next() = 0;
  /// Writes the new bytes of a passage; of each, in their order.
  virtual void write(std::string_view bytes) = 0;
  /// Makes the output appear.
  virtual void finish() = 0;
  /// Returns the share of the document that was read, 0 to 1.
  virtual double share_read() const = 0;
};

/// A format of documents.
struct DocumentFormat {
  std::string_view name;                  ///< as --format takes it
  std::vector<std::string_view> endings;  ///< of file names, in lower case: ".srt"
  std::string_view description;           ///< "SubRip subtitles"
  bool has_translations = false;          ///< beside its texts
};

/// Returns the formats, in the order in which help lists them.
const std::vector<DocumentFormat>& document_formats();

/// Returns why documents with this ending, in lower case, are not translated: for ".pdf". Empty for other endings.
std::string_view why_refused(std::string_view ending);

/// Settings of a job.
struct DocumentSettings {
  std::string format;  ///< a name of document_formats(); empty: by the ending of the file's name, or by its content
  std::optional<SentenceMode> mode;              ///< of plain text; absent: kParagraph
  std::string source_language, target_language;  ///< BCP 47; empty: unknown
  bool overwrite_translations = false;           ///< also translates what has a translation
  std::uint64_t max_text_bytes = kMaxTextBytes;  ///< of office files
};

/// Opens a document and the file that its translation is written to. Throws UsageError for an unknown format and for a
/// mode of another format than plain text, DataError for documents that gloss does not translate, such as PDF, with the
/// reason, and IoError.
std::unique_ptr<Document> open_document(const std::filesystem::path& input, const std::filesystem::path& output,
                                        const DocumentSettings& settings);

/// Opens a document of text in memory; its translation is appended to `output`, which must outlive the result. The
/// format must be given. Throws as open_document.
std::unique_ptr<Document> open_text(std::string bytes, std::string& output, const DocumentSettings& settings);

}  // namespace gloss
