#pragma once

#include <span>
#include <string>
#include <vector>

#include "documents/model/inline_text.h"
#include "documents/model/passage.h"

namespace gloss {

/// How much element placement trusts single links.
struct PlacementOptions {
  /// Links weigh by their attention, and the words of a pair are the best contiguous range. Otherwise every link weighs
  /// 1, and a pair reaches from the first to the last of its words.
  bool smooth = true;
};

/// Returns the target with the elements of the source. A pair surrounds the target words that are linked to words
/// between its source tags: the contiguous range with the largest sum of weights, where words that are linked elsewhere
/// count against it. A mark or word follows the target word that is linked to the source word before it, or precedes
/// that of the word after it. Each element occurs once, pairs are well nested, and elements `in_order` keep their
/// order. White space between two words is outside of pairs that end there.
/// No element is placed within one of `whole`, ascending ranges of the target.
InlineText place_elements(const InlineText& source, std::string target, std::span<const AlignedSpan> links,
                          PlacementOptions options = {}, std::span<const TextSpan> whole = {});

/// Returns the target with its elements at the places of the source, in proportion to the lengths of both.
InlineText place_in_proportion(const InlineText& source, std::string target);

/// Returns the words and signs of a text: runs of letters and digits, and single characters of scripts without
/// spaces and of punctuation.
std::vector<TextSpan> text_atoms(std::string_view text);

}  // namespace gloss
