#pragma once

#include <cstddef>
#include <string_view>

#include "tokenizer/piece_spans.h"

namespace gloss {

/// Returns whether a piece that begins at `offset` of a text begins a word there: a character before or after it is of
/// a script without spaces (Chinese, Japanese, Thai), and it is no combining mark.
bool begins_unspaced_word(std::string_view text, std::size_t offset);

/// Returns the pieces with a space between those that begin words of a script without spaces. The model chooses its
/// words piece by piece, so that no other division of such a text fits its probabilities, attention and alternatives.
///
///     words_of(with_spaces(pieces)).words  // {"我", "喜欢", "机器", "。"} of 我喜欢机器。
PieceSpans with_spaces(const PieceSpans& pieces);

}  // namespace gloss
