#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "common/special_ids.h"
#include "common/text/format.h"

namespace gloss {

/// The spellings under which the pieces of a vocabulary are searched in a file of word vectors.
class PieceSpellings {
 public:
  struct Meaning {
    Id id;
    bool exact;  ///< false: the spelling lacks the piece's mark of a word's beginning
  };

  /// Adds a piece under its own spelling and, if it begins a word (U+2581 and more), under the spelling without the
  /// mark. Pad is ignored.
  void add(Id id, const std::string& piece);
  /// Returns the pieces with this spelling; empty if no piece has it.
  const std::vector<Meaning>& operator[](const std::string& spelling) const;
  std::int64_t size() const { return pieces_; }  ///< number of pieces

 private:
  std::unordered_map<std::string, std::vector<Meaning>> meanings_;
  std::int64_t pieces_ = 0;
};

/// The vectors of the pieces that were found in a file.
struct WordVectors {
  std::vector<Id> ids;                    ///< of the pieces that were found, ascending
  std::vector<float> values;              ///< a row of `width` numbers for each
  std::int64_t words = 0;                 ///< lines of the file without the heading
  std::optional<std::int64_t> announced;  ///< number of words in the heading
  NotedLines unusable;                    ///< lines other than a word and `width` finite numbers
};

/// Reads word vectors in the text format of word2vec. A line has a word and its numbers, separated by spaces or tabs.
/// The first line is "count width"; it may be missing (GloVe). If a file has both spellings of a piece, the exact one
/// counts; of repeated words the first counts. Memory grows with the vectors that are found. `before_line` may be
/// empty; it is called before each line is parsed and may throw.
///
/// Throws DataError if the vectors have another width than `width`, if more than 1 % of the lines are unusable, if all
/// numbers are zeros, or if `pieces` is not empty and no piece is found. Throws also as LineReader.
WordVectors read_word_vectors(const std::filesystem::path& path, const PieceSpellings& pieces, std::int64_t width,
                              const std::function<void()>& before_line = {});

}  // namespace gloss
