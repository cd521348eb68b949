#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "common/special_ids.h"
#include "tokenizer/tokenizer.h"

namespace gloss {

/// Returns whether a SentencePiece model, given as its bytes, encodes the words of a line independently. The ids of a
/// line are then those of its words (separated by U+0020) one after the other.
///
/// True for BPE and character models that gloss trains. False for unigram models, whose best segmentation is a sum over
/// the line, and if a piece may reach across a space: user-defined symbols, unused pieces, pieces with a space inside,
/// or another treatment of spaces than SentencePiece's default. Throws ModelError if the bytes are no model.
bool separates_words(std::string_view model);

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
