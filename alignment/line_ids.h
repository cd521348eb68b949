#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/special_ids.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// The ids of two aligned lines.
struct IdPair {
  Ids source, target;
};

/// Throws DataError: a word or a pair of words is new in a later pass.
[[noreturn]] void throw_changed_text();

/// Turns the lines of one language into ids: of the pieces of a tokenizer or, without one, of the words that spaces or
/// tabs separate. Stores the ids of each word, unless the pieces of a word depend on its neighbors.
class LineIds {
 public:
  explicit LineIds(std::shared_ptr<const Tokenizer> tokenizer);

  /// Learns the words of a line that are new.
  void learn(std::string_view line);
  /// Returns the ids of a line that was learned. Safe to share between threads. Throws DataError if it has a new word.
  Ids encode(std::string_view line) const;
  std::int64_t size() const;          ///< number of ids
  std::string spelling(Id id) const;  ///< the word or the piece

 private:
  struct WordHash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::shared_ptr<const Tokenizer> tokenizer_;
  bool by_word_;
  std::unordered_map<std::string, Ids, WordHash, std::equal_to<>> ids_;
  std::vector<const std::string*> words_;  ///< without a tokenizer: the words by id
};

}  // namespace gloss
