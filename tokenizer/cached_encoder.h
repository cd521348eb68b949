#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/special_ids.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Encodes many lines with one tokenizer and stores the pieces of words, since most words of a text occur often. The
/// ids equal those of the tokenizer. Memory is limited. Not safe to share between threads.
///
///     CachedEncoder encoder(tokenizer);
///     for (const auto& line : lines) add(encoder.encode(line));
class CachedEncoder {
 public:
  explicit CachedEncoder(const Tokenizer& tokenizer);

  /// Returns the ids of Tokenizer::encode.
  Ids encode(std::string_view line);

  static constexpr std::size_t kMaxWords = 1 << 17;
  static constexpr std::size_t kMaxWordBytes = 64;

 private:
  struct WordHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  void append_word(std::string_view word, Ids& ids);

  const Tokenizer* tokenizer_;
  bool splits_;  ///< words can be encoded one by one
  std::unordered_map<std::string, Ids, WordHash, std::equal_to<>> words_;
};

}  // namespace gloss
