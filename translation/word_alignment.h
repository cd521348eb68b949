#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "common/text/word_links.h"
#include "tokenizer/piece_spans.h"

namespace gloss {

/// The source of a target piece.
struct PieceLink {
  std::int64_t source = -1;  ///< the piece with the most attention, eos excluded; -1: none
  bool to_end = false;       ///< eos or a language tag has more attention
  double weight = 0;         ///< share of the attention that `source` has, 0 to 1
};

/// Returns the pairs of words that contain linked pieces, sorted by source, then target; each pair once. A piece that
/// attends most to eos has no link: eos gets the attention that has no other place (docs/translation_report.md).
/// `links` has one for each piece of the target.
std::vector<WordLink> word_links(const PieceWords& source, const PieceWords& target, std::span<const PieceLink> links);

/// Returns the target with text of the source in place of each unk piece (Luong et al. 2015): the characters, if it is
/// linked to an unknown piece; otherwise the word, without punctuation at its ends. The pieces around it decide whether
/// a space stands there. An unk without link stays as it is. `words` are the source's; both texts are `spans_known`.
PieceSpans replace_unknown(const PieceSpans& source, const PieceWords& words, const PieceSpans& target,
                           std::span<const PieceLink> links);
/// Does the same with the texts that `replacement` returns for each unk piece; an empty one leaves it as it is.
PieceSpans replace_unknown(const PieceSpans& target,
                           const std::function<std::string_view(std::size_t piece)>& replacement);

}  // namespace gloss
