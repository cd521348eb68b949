#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "documents/model/inline_text.h"
#include "documents/model/passage.h"
#include "documents/model/placeholders.h"

namespace gloss {

/// A unit as the model reads it: placeholders are taken out of its text, and so are the spaces that only they and other
/// word elements need.
struct PreparedUnit {
  InlineText text;                  ///< placeholders that were taken out are elements
  std::vector<TextSpan> kept;       ///< placeholders that stay in the text; ascending, disjoint
  std::vector<std::size_t> origin;  ///< the byte of the unit's text that each byte of `text` comes from, and its end
  std::vector<TextSpan> sentences;  ///< of the text, ascending; not empty
};

/// Takes out the placeholders, apart from quantities and signs for which `keeps` is true. Quantities that overlap
/// `phrases` are ordinary text. Sentences are those of the whole unit: one may begin with a placeholder.
PreparedUnit prepare(const Unit& unit, const SentenceSplitter& splitter, std::span<const TextSpan> phrases,
                     const std::function<bool(std::string_view text)>& keeps);

/// Gives the word elements of a translation their spaces: one before (after) each that had one in the source, unless it
/// is at the edge of the text, beside a space, or before (after) punctuation; and one beside a word character, unless
/// the source had one there. Links and sentences move with the text; none is empty.
void restore_spaces(UnitTranslation& translation);

}  // namespace gloss
