#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tokenizer/piece_spans.h"

namespace gloss {

/// Where a piece of a target comes from.
struct PieceLink {
  std::int64_t source = -1;  ///< the piece that has most of the attention, the eos left aside; -1: there is none
  bool to_end = false;       ///< the eos has more
};

/// A word of the target and one of the source, numbers from 0.
struct WordLink {
  std::int64_t source = 0, target = 0;
  friend auto operator<=>(const WordLink&, const WordLink&) = default;
};

/// The words in which linked pieces stand, sorted by source, then target; each pair once. A piece that looks at the eos
/// most links nothing: eos is where attention rests that has no place (docs/translation_report.md has what was seen
/// of it). `links` has one for each piece of the target.
std::vector<WordLink> word_links(const PieceWords& source, const PieceWords& target, std::span<const PieceLink> links);

/// "0-0 1-2": source and target, as Pharaoh wrote alignments.
std::string to_pharaoh(std::span<const WordLink> links);

/// The target with what stands in the source in place of each unk piece (Luong et al. 2015): the characters, where it
/// is linked to an unknown piece; else the word, without punctuation at its ends. What surrounds it says whether a
/// space stands there. An unk linked to nothing stays as it is written. `words` are the source's; both texts are
/// `placed`.
PieceSpans replace_unknown(const PieceSpans& source, const PieceWords& words, const PieceSpans& target,
                           std::span<const PieceLink> links);

}  // namespace gloss
