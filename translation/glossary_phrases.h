#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "decoding/phrase.h"
#include "tokenizer/piece_spans.h"
#include "tokenizer/tokenizer.h"
#include "translation/glossary.h"

namespace gloss {

/// A glossary's target phrases in the pieces of a model. A phrase begins with a space, unless its first character is of
/// a script without spaces.
class GlossaryPhrases {
 public:
  /// `tokenizer` may add a language tag, which phrases lack. Throws DataError naming the entry if encoding and decoding
  /// change a phrase, or if it has an unknown piece.
  GlossaryPhrases(TermList glossary, const Tokenizer& tokenizer);

  /// Returns a phrase for each occurrence of a glossary source that ends within the first `end` bytes of the line
  /// (valid UTF-8), as TermList::find, or one for each alternative. source_begin and source_end are set if attention
  /// can show where the phrase is translated, otherwise empty.
  std::vector<Phrase> phrases_for(const PieceSpans& source, std::size_t end = std::string_view::npos) const;
  /// Returns [V]: 1 for pieces that continue the word before them.
  std::span<const std::uint8_t> continues_word() const { return continues_word_; }
  const TermList& terms() const { return glossary_; }

 private:
  TermList glossary_;
  std::vector<std::uint8_t> continues_word_;
  std::vector<std::vector<Phrase>> phrases_;  ///< the alternatives of each entry of the glossary
};

/// Returns whether a text (valid UTF-8) contains the phrases, one of alternatives, without overlaps; phrases with
/// `has_word_marks` as whole words (is_word_boundary). Counts as PhraseProgress does: from left to right, at each place
/// the longest phrase that is still missing, after the end of the previous one.
bool has_all(std::string_view text, std::span<const Phrase> phrases);

}  // namespace gloss
