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

/// Characters that Unicode's NFKC, or SentencePiece's nmt_nfkc, replaces by others that mean something else or spell
/// the word wrongly.
enum class NfkcChange {
  kNone,       ///< the character stays, or becomes another form of itself
  kSign,       ///< superscripts, fractions, signs such as those of degrees Celsius
  kFullWidth,  ///< full-width punctuation, letters and digits, the usual ones in Chinese and Japanese
  kJoiner,     ///< ZWNJ and ZWJ, which Persian and Indic spelling need
};
constexpr NfkcChange nfkc_change(char32_t c) {
  if (c == 0x200C || c == 0x200D) return NfkcChange::kJoiner;
  if (c >= 0xFF01 && c <= 0xFF5E) return NfkcChange::kFullWidth;
  const bool is_sign = c == 0xAA || c == 0xB2 || c == 0xB3 || c == 0xB9 || c == 0xBA || (c >= 0xBC && c <= 0xBE) ||
                       (c >= 0x2070 && c <= 0x209C) || (c >= 0x2100 && c <= 0x218B) || (c >= 0x2460 && c <= 0x24FF) ||
                       (c >= 0x3200 && c <= 0x33FF);
  return is_sign ? NfkcChange::kSign : NfkcChange::kNone;
}
constexpr bool is_changed_by_nfkc(char32_t c) { return nfkc_change(c) != NfkcChange::kNone; }

/// Returns a character for messages, such as "U+00BD".
std::string character_text(char32_t character);

}  // namespace gloss
