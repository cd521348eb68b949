#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// A normalized text and its place in the original.
struct NormalizedText {
  std::string text;
  /// The beginning and the end of the original characters that each byte of `text` stands for.
  std::vector<std::size_t> begins, ends;

  /// Returns the place in the original of the bytes from `begin` to `end`; empty if these are.
  struct Range {
    std::size_t begin = 0, end = 0;
  };
  Range original(std::size_t begin, std::size_t end) const;
};

/// Normalizes a line of valid UTF-8 as the training texts of OPUS-MT models were (preprocess-spm.sh of OPUS-MT-train).
/// Full-width punctuation and digits become ASCII's, characters of Unicode's category C become spaces, and each run of
/// spaces becomes one; spaces at the ends are dropped. U+FF11, the full-width 1, becomes a quotation mark as there.
NormalizedText opus_normalized(std::string_view line);

}  // namespace gloss
