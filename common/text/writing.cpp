#include "common/text/writing.h"

#include "common/text/format.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr bool is_between(char32_t c, char32_t first, char32_t last) { return c >= first && c <= last; }

constexpr bool is_han(char32_t c) {
  return c == 0x3005 || c == 0x3007 || is_between(c, 0x3400, 0x4DBF) || is_between(c, 0x4E00, 0x9FFF) ||
         is_between(c, 0xF900, 0xFAFF) || is_between(c, 0x20000, 0x323AF);
}

constexpr bool is_kana(char32_t c) {
  return is_between(c, 0x3041, 0x309F) || is_between(c, 0x30A1, 0x30FF) || is_between(c, 0x31F0, 0x31FF) ||
         is_between(c, 0xFF66, 0xFF9F);
}

/// Thai, Lao and Tibetan; Burmese; Khmer.
constexpr bool is_other_unspaced(char32_t c) {
  return is_between(c, 0x0E01, 0x0FFF) || is_between(c, 0x1000, 0x109F) || is_between(c, 0x1780, 0x17FF);
}

/// Returns whether a character counts as a letter here. Signs and punctuation of the common blocks do not.
constexpr bool is_letter_of_writing(char32_t c) {
  if (c < 0x80) return is_between(c | 0x20, 'a', 'z');
  return c >= 0xC0 && !is_between(c, 0x2000, 0x2BFF) && !is_between(c, 0x3000, 0x3004) &&
         !is_between(c, 0x3008, 0x3020) && !is_between(c, 0xFF00, 0xFF20);
}

}  // namespace

void WritingCounts::add(char32_t character) {
  if (!is_letter_of_writing(character)) return;
  ++letters;
  if (character < 0x0E01) return;
  if (is_han(character)) ++han;
  if (is_kana(character)) ++kana;
  if (is_other_unspaced(character)) ++other_unspaced;
}

void WritingCounts::add(std::string_view text) {
  for_each_character(text, [this](auto character, auto) { add(character.value_or(U' ')); });
}

void WritingCounts::add(const WritingCounts& other) {
  letters += other.letters;
  han += other.han;
  kana += other.kana;
  other_unspaced += other.other_unspaced;
}

Writing WritingCounts::writing() const {
  if (2 * (han + kana + other_unspaced) <= letters) return Writing::kSpaces;
  if (other_unspaced > han + kana) return Writing::kOtherUnspaced;
  return 20 * kana >= han ? Writing::kJapanese : Writing::kChinese;
}

std::string character_text(char32_t character) { return formatted("U+%04X", static_cast<unsigned>(character)); }

std::string_view writing_name(Writing writing) {
  switch (writing) {
    case Writing::kChinese:
      return "Chinese";
    case Writing::kJapanese:
      return "Japanese";
    case Writing::kOtherUnspaced:
      return "written without spaces";
    default:
      return "written with spaces";
  }
}

}  // namespace gloss
