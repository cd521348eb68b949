#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gloss {

/// Writing of a text, as far as it decides where words end.
enum class Writing { kSpaces, kChinese, kJapanese, kOtherUnspaced };  ///< the last: Thai, Lao, Burmese, Khmer, Tibetan

/// Numbers of letters of a text.
struct WritingCounts {
  std::int64_t letters = 0, han = 0, kana = 0, other_unspaced = 0;

  void add(char32_t character);
  void add(std::string_view text);
  void add(const WritingCounts& other);
  /// Returns the writing of most letters. A text with at least one kana for 20 Han characters is Japanese.
  Writing writing() const;
};

/// Returns the name of a writing for messages, such as "Chinese".
std::string_view writing_name(Writing writing);

/// Returns whether other programs end a line at this character, but gloss does not: VT, FF, FS, GS, RS, U+0085, U+2028,
/// U+2029 (Python's str.splitlines).
constexpr bool is_line_separator(char32_t c) {
  return c == 0x0B || c == 0x0C || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}

/// Returns whether a character has no width and no meaning of its own: soft hyphen, word joiner, marks of direction.
/// ZWNJ and ZWJ, which Persian and Indic spelling need, are not among them.
constexpr bool is_invisible(char32_t c) {
  return c == 0xAD || c == 0x200B || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x2064) || (c >= 0x2066 && c <= 0x2069);
}

/// Returns whether Unicode's NFKC, or SentencePiece's nmt_nfkc, replaces the character by others that mean something
/// else or spell the word wrongly: superscripts, fractions, ZWNJ, full-width punctuation, signs such as those of
/// degrees Celsius.
constexpr bool is_changed_by_nfkc(char32_t c) {
  return c == 0xAA || c == 0xB2 || c == 0xB3 || c == 0xB9 || c == 0xBA || (c >= 0xBC && c <= 0xBE) || c == 0x200C ||
         c == 0x200D || (c >= 0x2070 && c <= 0x209C) || (c >= 0x2100 && c <= 0x218B) || (c >= 0x2460 && c <= 0x24FF) ||
         (c >= 0x3200 && c <= 0x33FF) || (c >= 0xFF01 && c <= 0xFF5E);
}

/// Returns a character for messages, such as "U+00BD".
std::string character_text(char32_t character);

/// Returns whether a line has only white space and invisible characters.
bool is_blank(std::string_view line);

}  // namespace gloss
