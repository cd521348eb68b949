#pragma once

#include <string_view>

#include "common/text/letter_case.h"
#include "common/text/word_boundary.h"

namespace gloss {

inline bool is_one_of(char32_t c, std::u32string_view set) { return set.find(c) != set.npos; }

/// Marks that end a sentence if white space follows.
inline constexpr std::u32string_view kEndMarks = U".!?\u2026\u203c\u2047\u2048\u2049\u061f\u203d";
/// Full stops that need no space after them: Chinese, Devanagari, Urdu, Armenian, Ethiopic, Burmese, Khmer, Mongolian.
inline constexpr std::u32string_view kFullStops =
    U"\u3002\uff01\uff1f\uff61\uff0e\u0964\u0965\u06d4\u0589\u1362\u1367\u1368\u104b\u17d4\u17d5\u1803\u0e5a\u0e5b";

/// Returns whether a character may end a sentence: . ! ? and the full stops of other scripts.
inline bool is_end_mark(char32_t c) { return is_one_of(c, kEndMarks) || is_one_of(c, kFullStops); }

/// Quotes and brackets that may end a sentence after its mark.
inline constexpr std::u32string_view kClosingSigns =
    U"\"')]}*_\u2019\u201d\u201c\u2018\u00bb\u203a\u00ab\u2039\u300b\u3009\u300d\u300f\uff09\uff3d\u3011\u3015\uff02";
/// Quotes, brackets, dashes and bullets that may begin a sentence.
inline constexpr std::u32string_view kOpeningSigns =
    U"\"'([{*_#`.\u2018\u201c\u201e\u201a\u201d\u2019\u00ab\u2039\u00bb\u203a\u00bf\u00a1-"
    U"\u2010\u2011\u2012\u2013\u2014"
    U"\u2015\u2026\u2022\u00b7\u25aa\u25cf\u300c\u300e\uff08\u3010\u300a\u3008\u3014\uff3b";

/// Returns whether a character is an emoji by itself, or is often one.
inline bool is_emoji(char32_t c) {
  return c == 0x231a || c == 0x231b || c == 0x23cf || (c >= 0x23e9 && c <= 0x23fa) || (c >= 0x25fb && c <= 0x25fe) ||
         (c >= 0x2600 && c <= 0x27bf) || (c >= 0x2b00 && c <= 0x2bff) || (c >= 0x1f000 && c <= 0x1faff);
}
/// Returns whether a character belongs to an emoji: joiners and selectors do, too.
inline bool is_part_of_emoji(char32_t c) {
  return is_emoji(c) || c == 0x200d || c == 0x20e3 || (c >= 0xfe00 && c <= 0xfe0f);
}

/// Returns whether a character is a letter of a script without cases: Hebrew, Arabic, Devanagari, ideographs, hangul.
inline bool is_caseless(char32_t c) {
  const bool cased = c < 0x5d0 || (c >= 0x1c80 && c <= 0x1fff) || (c >= 0x1d400 && c <= 0x1d7ff);
  return is_letter(c) && !cased && !is_part_of_emoji(c);
}

/// Returns whether a character is a letter or digit and no part of an emoji.
inline bool is_content(char32_t c) {
  if (c < 0x80) return is_ascii_digit(c) || ((c | 0x20) >= U'a' && (c | 0x20) <= U'z');
  return is_letter(c) && !is_part_of_emoji(c);
}

}  // namespace gloss
