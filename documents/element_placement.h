#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "documents/model/inline_text.h"
#include "documents/model/passage.h"

namespace gloss {

/// Returns the target with the elements of the source. A pair surrounds the target words that are linked to words
/// between its source tags: the contiguous range with the largest sum of weights, where words that are linked elsewhere
/// count against it. A mark or word follows the target word that is linked to the source word before it, or precedes
/// that of the word after it; it does not follow a full stop that it precedes in the source. Each element occurs once,
/// pairs are well nested, and elements `in_order` keep their order. White space between two words is outside of pairs
/// that end there. No element is placed within one of `whole`, ascending ranges of the target.
InlineText place_elements(const InlineText& source, std::string target, std::span<const AlignedSpan> links,
                          std::span<const TextSpan> whole = {});

/// Returns a link from each target word to the source word at the same share of the text.
std::vector<AlignedSpan> links_in_proportion(std::string_view source, std::string_view target);

/// Returns the words and signs of a text: runs of letters and digits, and single characters of scripts without
/// spaces and of punctuation.
std::vector<TextSpan> text_atoms(std::string_view text);

/// Returns whether a character has no space before it: full stops, commas, closing brackets and quotes.
bool is_closing_sign(char32_t character);

}  // namespace gloss
