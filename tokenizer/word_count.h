#pragma once

#include <cstdint>
#include <string_view>

#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// Returns the number of words of a line of UTF-8, as SentencePiece separates them after `normalization`. A line has at
/// least as many pieces as words in any tokenizer trained with this normalization, and no piece exactly if it has no
/// word.
std::int64_t count_words(std::string_view line, Normalization normalization);

}  // namespace gloss
