#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "common/files/line_reader.h"
#include "common/files/sha256.h"

namespace gloss {

/// The files of two aligned texts: line n of `target` is the translation of line n of `source`.
struct TextFiles {
  std::filesystem::path source, target;
  std::filesystem::path alignment = {};  ///< line n has the links of pair n (data/links.h); empty: none

  bool operator==(const TextFiles&) const = default;
};

/// Returns both names for messages: "train.en and train.de".
std::string names_of(const TextFiles& files);

/// Line n of two aligned texts. One side is absent after the end of the shorter text.
struct LinePair {
  TextLine source, target, alignment = {};
  bool has_source = false, has_target = false, has_alignment = false;

  bool complete() const { return has_source && has_target; }
};

/// Reads two aligned texts, and their alignment if there is one, side by side: line n of one belongs to line n of the
/// others. Memory does not grow with the texts.
///
///     AlignedReader reader(source, target);
///     for (LinePair pair; reader.next(pair);)
///       if (pair.complete()) use(pair.source.text, pair.target.text);
class AlignedReader {
 public:
  /// SHA-256 sums of the bytes of each text that have been read.
  struct Sums {
    Sha256 source, target, alignment = {};
  };

  /// Calls `before_pair`, if not empty, before it reads each pair; the function may throw. Adds the bytes to `sums` if
  /// not null. Throws as LineReader.
  explicit AlignedReader(const TextFiles& files, std::function<void()> before_pair = {}, Sums* sums = nullptr);
  AlignedReader(const std::filesystem::path& source, const std::filesystem::path& target,
                std::function<void()> before_pair = {}, Sums* sums = nullptr)
      : AlignedReader({source, target}, std::move(before_pair), sums) {}

  /// Reads the next pair. Returns false at the end of all files. Throws IoError.
  bool next(LinePair& pair);

  std::int64_t source_lines() const { return source_.line_number(); }  ///< number of lines read so far
  std::int64_t target_lines() const { return target_.line_number(); }
  /// Throws DataError with both numbers if the lines that were read of source, target and alignment differ.
  void expect_equal_lines() const;
  bool saw_crlf() const { return source_.saw_crlf() || target_.saw_crlf(); }

 private:
  TextFiles files_;
  LineReader source_, target_;
  std::optional<LineReader> alignment_;
  std::function<void()> before_pair_;
};

}  // namespace gloss
