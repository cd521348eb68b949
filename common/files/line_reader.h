#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/gzip_decoder.h"
#include "common/files/sha256.h"
#include "common/files/text_path.h"
#include "common/system/descriptor.h"
#include "common/text/line_splitter.h"

namespace gloss {

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
  bool next(std::string& line);
  bool overlong() const { return overlong_; }
  std::int64_t line_number() const { return line_number_; }  ///< number of the last line read, from 1
  bool crlf() const { return crlf_; }                        ///< the last line ended in CRLF
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
  bool overlong_ = false;
  bool crlf_ = false, saw_crlf_ = false;
};

}  // namespace gloss
