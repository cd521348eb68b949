#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// Replaces U+2581 by the low line that it looks like. SentencePiece uses U+2581 for a space and would read one in a
/// text as a space.
std::string without_space_marks(std::string_view text);

/// Splits a training text after the "<" of each symbol's name ("<s>", "</s>", "<unk>", "<pad>", "<0x0A>"), so that the
/// name is plain text. SentencePiece's trainer would treat the name as the symbol and learn none of its characters.
std::vector<std::string> split_symbol_names(std::string_view text);

/// Returns whether a text is such a name.
bool is_symbol_name(std::string_view text);

/// Returns the number of words of a line of UTF-8, as SentencePiece separates them after `normalization`. A line has at
/// least as many pieces as words in any tokenizer trained with this normalization, and no piece exactly if it has no
/// word.
std::int64_t count_words(std::string_view line, Normalization normalization);

}  // namespace gloss
