#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/system/descriptor.h"

namespace gloss {

/// Encodings of documents. All but kUtf8 begin with a byte order mark, or are found by the zero bytes of their first
/// characters.
enum class TextEncoding { kUtf8, kUtf8WithMark, kUtf16Little, kUtf16LittleWithMark, kUtf16Big, kUtf16BigWithMark };

/// The text of a document as UTF-8 without byte order mark, read in parts. Line ends are not changed.
class DocumentInput {
 public:
  /// Opens a file. `name` names it in messages. Throws DataError if it is missing or a folder, IoError.
  DocumentInput(const std::filesystem::path& path, std::string name);
  /// Reads the bytes of a document from memory.
  static DocumentInput of(std::string bytes, std::string name);

  /// Reads the next line with its line end: LF, CRLF or CR. Returns false at the end. A line of more than kMaxLineBytes
  /// comes in several parts, cut after white space or between characters. Throws DataError naming the line if it is
  /// not UTF-8 or UTF-16 or has a NUL; IoError.
  bool next_line(std::string& line);
  /// Reads everything that is left. Throws as next_line, and DataError if it is more than `limit` bytes.
  std::string rest(std::size_t limit);

  TextEncoding encoding() const { return encoding_; }
  std::int64_t line_number() const { return line_; }  ///< of the last line, from 1
  std::uint64_t bytes_read() const { return read_; }  ///< of the document, in its own encoding
  const std::string& name() const { return name_; }

  static constexpr std::size_t kMaxLineBytes = 1 << 20;

 private:
  explicit DocumentInput(std::string name) : name_(std::move(name)) {}
  bool fill();
  void begin();
  void decode(std::string_view bytes, bool at_end);

  std::string name_;
  Descriptor file_;
  bool ended_ = false;  ///< the file has no more bytes
  TextEncoding encoding_ = TextEncoding::kUtf8;
  std::string undecoded_;  ///< bytes of a character that is not complete yet
  std::string text_;       ///< decoded
  std::size_t begin_ = 0;  ///< of the text that was not handed out
  std::int64_t line_ = 0;
  bool line_open_ = false;  ///< the last part had no line end
  std::uint64_t read_ = 0;
};

/// Returns the bytes of UTF-8 in an encoding, without a byte order mark.
std::string encode_text(std::string_view text, TextEncoding encoding);
/// Returns the byte order mark of an encoding; empty without one.
std::string_view byte_order_mark(TextEncoding encoding);

}  // namespace gloss
