#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "common/files/line_reader.h"
#include "common/files/sha256.h"

namespace gloss {

/// The files of two aligned texts: line n of `target` is the translation of line n of `source`.
struct TextFiles {
  std::filesystem::path source, target;

  bool operator==(const TextFiles&) const = default;
};

/// Returns both names for messages: "train.en and train.de".
std::string names_of(const TextFiles& files);

/// Line n of two aligned texts. One side is absent after the end of the shorter text.
struct LinePair {
  TextLine source, target;
  bool has_source = false, has_target = false;

  bool complete() const { return has_source && has_target; }
};

/// Reads two aligned texts side by side: line n of one belongs to line n of the other. Memory does not grow with the
/// texts.
///
///     AlignedReader reader(source, target);
///     for (LinePair pair; reader.next(pair);)
///       if (pair.complete()) use(pair.source.text, pair.target.text);
class AlignedReader {
 public:
  /// SHA-256 sums of the bytes of each text that have been read.
  struct Sums {
    Sha256 source, target;
  };

  /// Calls `before_pair`, if not empty, before it reads each pair; the function may throw. Adds the bytes to `sums` if
  /// not null. Throws as LineReader.
  AlignedReader(const std::filesystem::path& source, const std::filesystem::path& target,
                std::function<void()> before_pair = {}, Sums* sums = nullptr);

  /// Reads the next pair. Returns false at the end of both texts. Throws IoError.
  bool next(LinePair& pair);

  std::int64_t source_lines() const { return source_.line_number(); }  ///< number of lines read so far
  std::int64_t target_lines() const { return target_.line_number(); }
  bool saw_crlf() const { return source_.saw_crlf() || target_.saw_crlf(); }

 private:
  LineReader source_, target_;
  std::function<void()> before_pair_;
};

}  // namespace gloss
