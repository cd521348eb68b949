#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/special_ids.h"
#include "common/text/noted_lines.h"

namespace gloss {

/// What pieces are looked for as: a spelling leads to the pieces that it may stand for.
class PieceSpellings {
 public:
  struct Meaning {
    Id id;
    bool exact;  ///< else without the mark of a word's beginning
  };

  /// A piece is looked for as it is spelt and, where it begins a word (U+2581 and more), as that word. Pad is not.
  void add(Id id, const std::string& piece);
  /// None where nobody looks for it.
  const std::vector<Meaning>& operator[](const std::string& spelling) const;
  std::int64_t size() const { return pieces_; }  ///< pieces

 private:
  std::unordered_map<std::string, std::vector<Meaning>> meanings_;
  std::int64_t pieces_ = 0;
};

/// The vectors of a file that belong to pieces.
struct WordVectors {
  std::vector<Id> ids;                    ///< of the pieces that were found, rising
  std::vector<float> values;              ///< a row of `width` for each
  std::int64_t words = 0;                 ///< lines of the file, the heading left out
  std::optional<std::int64_t> announced;  ///< words, by the heading
  NotedLines unusable;                    ///< not a word and `width` finite numbers
};

/// Reads a text file of vectors as word2vec writes it: a line for each word, the word and its numbers separated by
/// spaces; before them a line "count width", which may be missing (GloVe). Where a piece is there in both spellings the
/// exact one counts, of repeated words the first. Only the numbers of words that are looked for are read as numbers;
/// memory is that of what was found. Throws DataError where the vectors have another width, more than one line in a
/// hundred is unusable or none of the pieces, where there are any, is found, as LineReader, and what `before_line`,
/// which may be empty, throws.
WordVectors read_word_vectors(const std::filesystem::path& path, const PieceSpellings& pieces, std::int64_t width,
                              const std::function<void()>& before_line = {});

}  // namespace gloss
