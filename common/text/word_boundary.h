#pragma once

#include <cstddef>
#include <string_view>

namespace gloss {

/// What a character does at the border of a word.
enum class CharacterKind {
  kWord,      ///< letters, digits, marks and joiners of scripts that put spaces between words
  kUnspaced,  ///< those of scripts that put none: Chinese, Japanese, Thai, Lao, Tibetan, Burmese, Khmer
  kOther,     ///< spaces, punctuation, symbols
};

/// By blocks of Unicode: what a block has of punctuation beyond the frequent is taken for letters.
CharacterKind kind_of(char32_t character);

/// The kind of the first character of valid UTF-8; kOther where there is none.
CharacterKind first_kind(std::string_view text);
/// The same of the last.
CharacterKind last_kind(std::string_view text);

/// No word goes on across `offset`, which stands between two characters of valid UTF-8 or at its ends: on one side at
/// least there is no character of a word.
bool is_word_boundary(std::string_view text, std::size_t offset);

}  // namespace gloss
