#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/gzip_decoder.h"
#include "common/files/sha256.h"
#include "common/system/descriptor.h"

namespace gloss {

/// One line of a text, without its line end.
struct TextLine {
  std::string text;     ///< unchanged bytes, including NULs and invalid UTF-8
  bool cut = false;     ///< longer than LineSplitter::kMaxLineBytes; `text` is its beginning, cut between characters
  bool crlf = false;    ///< the line ended in CRLF; not set with LineEnds::kAnyReturn
  bool has_end = true;  ///< false: the last line of a text without a line end after it
};

/// Line ends: LF and CRLF, or also a CR alone.
enum class LineEnds { kLineFeed, kAnyReturn };

/// Splits bytes that arrive in parts into lines. LF or CRLF ends a line; a byte order mark at the very beginning is
/// dropped; a last line without an end counts. A CR elsewhere (without kAnyReturn) and U+2028 are ordinary characters.
/// Stores at most one line, up to its limit.
class LineSplitter {
 public:
  static constexpr std::size_t kMaxLineBytes = 1 << 16;

  explicit LineSplitter(LineEnds ends = LineEnds::kLineFeed) : ends_(ends) {}

  /// Consumes bytes up to and including the next line end. Returns true and sets `line` if there was one.
  bool next(std::string_view& bytes, TextLine& line);
  /// Sets `line` to the last line and returns true if it has no line end. Call it once, at the end of the text.
  bool finish(TextLine& line);

 private:
  void append(std::string_view bytes);
  void end_line(bool with_end, TextLine& line);

  LineEnds ends_;
  bool after_return_ = false;  ///< the next LF belongs to the CR that ended a line
  std::string text_;           ///< the line whose end has not arrived yet
  bool dropped_ = false;       ///< part of the line was dropped
  bool at_begin_ = true;
};

/// The place of a text: a file, or a column of a table whose columns are separated by tabs. "pairs.tsv:2" is the second
/// column of pairs.tsv, unless there is a file of that name.
struct TextPath {
  std::filesystem::path file;
  std::size_t column = 0;  ///< from 1; 0: whole lines

  static TextPath of(const std::filesystem::path& path);

  /// Leaves only the column in `line`. Throws DataError naming the line's number if the line has fewer columns.
  void select(std::string& line, std::int64_t number) const;
};

/// How often a text is read. A pipe can be read only once.
enum class Passes { kOne, kSeveral };

/// Reads a text line by line; LineSplitter defines a line. A file in gzip is decompressed. Memory use does not depend
/// on the size of the file or its lines.
class LineReader {
 public:
  /// `path` may name a column of a table (TextPath). Adds the bytes of the text, decompressed, to `sum`, if there is
  /// one. Throws DataError if the path is missing, a folder, UTF-16, compressed otherwise, or damaged gzip; UsageError
  /// if it is a device, or a pipe that is to be read several times (a terminal counts as a pipe); IoError if it cannot
  /// be read.
  explicit LineReader(const std::filesystem::path& path, Passes passes = Passes::kSeveral, Sha256* sum = nullptr);
  /// Reads an open file from its current position; messages call it `name`. Throws DataError if it is compressed or
  /// UTF-16, IoError if it cannot be read.
  LineReader(Descriptor descriptor, const std::string& name, LineEnds ends = LineEnds::kLineFeed);

  /// Reads the next line; returns false at the end. A line longer than `kMaxLineBytes` is cut there and marked
  /// `overlong`; its rest is skipped. Throws IoError.
  bool next(TextLine& line);
  bool next(std::string& line);
  bool overlong() const { return overlong_; }
  std::int64_t line_number() const { return line_number_; }  ///< number of the last line read, from 1
  bool saw_crlf() const { return saw_crlf_; }                ///< some line ended in CRLF

  static constexpr std::size_t kMaxLineBytes = LineSplitter::kMaxLineBytes;

 private:
  void begin();
  bool fill();
  bool take(std::string_view text);
  std::string_view read();

  TextPath path_;
  Descriptor descriptor_;
  Sha256* sum_ = nullptr;
  std::vector<char> buffer_;
  std::unique_ptr<GzipDecoder> gzip_;  ///< null: the file is not compressed
  bool ended_ = false;                 ///< the file has no more bytes
  std::string_view rest_;              ///< the part of the text that is not yet split
  LineSplitter splitter_;
  std::int64_t line_number_ = 0;
  bool overlong_ = false, saw_crlf_ = false;
};

}  // namespace gloss
