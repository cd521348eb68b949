#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/document_input.h"
#include "documents/model/passage.h"

struct zip;

namespace gloss {

/// Formats of documents that are ZIP archives.
enum class ZipFormat {
  kOoxml,         ///< .docx, .pptx, .xlsx, and those with macros
  kOpenDocument,  ///< .odt, .odp
  kEpub,
};

/// An entry of an archive that has text. `read` gets its bytes as UTF-8 and throws DataError.
struct ZipPart {
  std::string name;
  std::function<Passage(std::string bytes, const DocumentOptions& options)> read;
};

/// Returns the bytes of an entry; nothing if there is no such entry. Throws DataError.
using ReadEntry = std::function<std::optional<std::string>(const std::string& name)>;

/// A document in a ZIP archive, read part by part and written as a whole.
///
///     ZipDocument document("in.docx", options, ZipFormat::kOoxml);
///     while (auto passage = document.next()) document.write(translated(*passage));
///     document.finish("out.docx");
class ZipDocument {
 public:
  static constexpr std::uint64_t kMaxEntries = 20'000;
  /// The parts with text have at most kMaxRatio times the bytes of the file and kSmallBytes more, and at most
  /// DocumentOptions::max_text_bytes. One part has at most kMaxTreeBytes. Other entries are never unpacked.
  static constexpr std::uint64_t kMaxRatio = 200, kSmallBytes = std::uint64_t{16} << 20;

  /// Opens a document. Throws DataError if it is damaged, encrypted or in an older format, IoError, and UsageError if
  /// gloss was built without libzip.
  ZipDocument(const std::filesystem::path& path, DocumentOptions options, ZipFormat format);

  /// Returns the next part that has units; nothing after the last one. Throws DataError.
  std::optional<Passage> next();
  /// Sets the new bytes of a part; of each that next() returned, in their order.
  void write(std::string bytes);
  /// Writes the document, atomically (common/files/atomic_file.h). Entries keep their order and names; those without
  /// new bytes are copied as they are packed. The whole file is built in memory first. Throws IoError.
  void finish(const std::filesystem::path& path);
  /// Returns the share of the bytes of all parts that next() has read, 0 to 1.
  double share_read() const;

 private:
  using Archive = std::unique_ptr<zip, void (*)(zip*)>;  ///< of libzip

  /// A part that next() returned.
  struct Handed {
    std::uint64_t index;
    TextEncoding encoding;
  };
  struct Entry {
    std::uint64_t index = 0, size = 0;
  };
  void add_entries(std::uint64_t count);
  std::uint64_t size_of(const ZipPart& part) const;
  std::optional<std::string> read(const std::string& name);
  void pack(zip* archive) const;

  DocumentOptions options_;
  Archive archive_;
  std::uint64_t text_bytes_left_ = 0;
  std::map<std::string, Entry> entries_;  ///< by entry_key
  std::vector<ZipPart> parts_;
  std::size_t next_part_ = 0;
  std::uint64_t part_bytes_ = 0, part_bytes_read_ = 0;  ///< of all parts
  std::deque<Handed> handed_;                           ///< parts that have no new bytes yet, in order
  std::map<std::uint64_t, std::string> written_;        ///< new bytes, by index
};

}  // namespace gloss
