#pragma once

#include <cstddef>
#include <string_view>

namespace gloss {

/// Role of a character at a word boundary.
enum class CharacterKind {
  kWord,      ///< letters, digits, marks and joiners of scripts that put spaces between words
  kUnspaced,  ///< those of scripts without spaces: Chinese, Japanese, Thai, Lao, Tibetan, Burmese, Khmer
  kOther,     ///< spaces, punctuation, symbols
};

/// Returns the kind of a character, by Unicode blocks. Rare punctuation within a block of letters counts as letters.
CharacterKind kind_of(char32_t character);

/// Return whether a character is one of 0 to 9, of a to z and A to Z, or of both.
constexpr bool is_ascii_digit(char32_t character) { return character >= U'0' && character <= U'9'; }
constexpr bool is_ascii_letter(char32_t character) { return (character | 0x20) >= U'a' && (character | 0x20) <= U'z'; }
constexpr bool is_ascii_alphanumeric(char32_t character) {
  return is_ascii_digit(character) || is_ascii_letter(character);
}

/// Returns whether a character is of kind kWord or kUnspaced and not an ASCII digit: a letter, mark or joiner, or a
/// digit of another script.
bool is_letter(char32_t character);

/// Returns whether a text has one of these; bytes that are not UTF-8 count as none.
bool has_letter(std::string_view text);

/// Returns the kind of the first character of valid UTF-8; kOther for an empty text.
CharacterKind first_kind(std::string_view text);
/// Returns the kind of the last character of valid UTF-8; kOther for an empty text.
CharacterKind last_kind(std::string_view text);

/// Returns whether `offset`, which lies between two characters of valid UTF-8 or at an end, is a word boundary: at
/// least one side has no word character.
bool is_word_boundary(std::string_view text, std::size_t offset);

}  // namespace gloss
