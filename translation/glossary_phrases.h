#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decoding/phrases/phrase_progress.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/tokenizer.h"
#include "translation/glossary.h"

namespace gloss {

/// A glossary's target phrases as the pieces of a model. A phrase begins with its leading space; where its first
/// character is of a script without spaces it has none.
class GlossaryPhrases {
 public:
  /// Throws DataError naming file and line where a phrase, cut into pieces and put together again, is another, and
  /// where one of the pieces is unknown.
  GlossaryPhrases(Glossary glossary, const Tokenizer& target);

  /// What the translation of a line, valid UTF-8, of which the first `end` bytes are translated, must contain: a phrase
  /// for each place that Glossary::find finds.
  std::vector<Phrase> of(std::string_view line, std::size_t end = std::string_view::npos) const;
  /// Returns them for a line in pieces; each phrase has the pieces of the source that it translates.
  std::vector<Phrase> of(const PieceSpans& source, std::size_t end = std::string_view::npos) const;
  /// [V]: 1 for the pieces that go on with the word before them.
  std::span<const std::uint8_t> continues_word() const { return goes_on_; }

 private:
  Glossary glossary_;
  std::vector<std::uint8_t> goes_on_;
  std::vector<Phrase> phrases_;  ///< of the glossary's entries
};

/// Whether a text, valid UTF-8, contains the phrases as whole words (is_word_boundary) where they are `in_words`, each
/// in a place of its own, as PhraseProgress counts their pieces: from left to right, at each place the longest that is
/// still missing, after the end of the one before.
bool has_all(std::string_view text, std::span<const Phrase> phrases);

}  // namespace gloss
