#include "evaluation/tokenize/characters.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "common/text/utf8.h"
#include "common/unicode/unicode_tables.h"

namespace gloss {
namespace {

constexpr char32_t kCapitalSigma = 0x3a3, kSigma = 0x3c3, kFinalSigma = 0x3c2, kCapitalDottedI = 0x130;

/// Returns the lower case of a character that has one.
char32_t lower_of(char32_t c) {
  const auto ranges = lower_ranges();
  const auto next = std::ranges::upper_bound(ranges, c, {}, &LowerRange::first);
  return static_cast<char32_t>(static_cast<std::int32_t>(c) + std::prev(next)->difference);
}

std::uint8_t classes_of(const CodePoint& point) { return point.value ? CharacterClasses::table()[*point.value] : 0; }

bool cased_after(std::string_view text, std::size_t offset) {
  while (offset < text.size()) {
    const auto point = decode_utf8(text, offset);
    const auto classes = classes_of(point);
    if (!(classes & CharacterClasses::kCaseIgnorable)) return classes & CharacterClasses::kCased;
    offset += point.bytes;
  }
  return false;
}

bool cased_before(std::string_view text, std::size_t offset) {
  while (offset > 0) {
    offset = last_character(text.substr(0, offset));
    const auto classes = classes_of(decode_utf8(text, offset));
    if (!(classes & CharacterClasses::kCaseIgnorable)) return classes & CharacterClasses::kCased;
  }
  return false;
}

/// Returns whether the byte is the first one of white space outside ASCII, in UTF-8.
bool begins_wide_space(char c) { return c == '\xc2' || c == '\xe1' || c == '\xe2' || c == '\xe3'; }

}  // namespace

const CharacterClasses& CharacterClasses::table() {
  static const CharacterClasses classes;
  return classes;
}

CharacterClasses::CharacterClasses() : classes_(0x110000) {
  const auto mark = [this](std::span<const CodePointRange> ranges, std::uint8_t bit) {
    for (const auto& range : ranges)
      for (char32_t c = range.first; c <= range.last; ++c) classes_[c] |= bit;
  };
  mark(punctuation_ranges(), kPunctuation);
  mark(symbols_ranges(), kSymbol);
  mark(numbers_ranges(), kNumber);
  mark(cased_ranges(), kCased);
  mark(case_ignorable_ranges(), kCaseIgnorable);
  for (const auto& range : lower_ranges())
    for (char32_t c = range.first; c <= range.last; c += static_cast<char32_t>(range.step)) classes_[c] |= kHasLower;
  classes_[0x130] |= kHasLower;
}

void append_lower(std::string_view text, std::string& result) {
  const auto& classes = CharacterClasses::table();
  for (std::size_t offset = 0; offset < text.size();) {
    const char byte = text[offset];
    if (static_cast<unsigned char>(byte) < 0x80) {
      result += byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
      ++offset;
      continue;
    }
    const auto point = decode_utf8(text, offset);
    if (!point.value || !(classes[*point.value] & CharacterClasses::kHasLower)) {
      result += text.substr(offset, point.bytes);
    } else if (*point.value == kCapitalSigma) {
      const bool final = cased_before(text, offset) && !cased_after(text, offset + point.bytes);
      append_utf8(final ? kFinalSigma : kSigma, result);
    } else if (*point.value == kCapitalDottedI) {
      result += "i\u0307";
    } else {
      append_utf8(lower_of(*point.value), result);
    }
    offset += point.bytes;
  }
}

std::size_t white_space_at(std::string_view text, std::size_t offset) {
  const char first = text[offset];
  if (static_cast<unsigned char>(first) < 0x80) return is_white_space(static_cast<unsigned char>(first));
  if (!begins_wide_space(first)) return 0;
  const auto point = decode_utf8(text, offset);
  return point.value && is_white_space(*point.value) ? point.bytes : 0;
}

std::string_view strip_end(std::string_view text) {
  while (!text.empty()) {
    const auto last = last_character(text);
    if (white_space_at(text, last) != text.size() - last) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

std::string_view strip(std::string_view text) {
  while (!text.empty()) {
    const auto space = white_space_at(text, 0);
    if (space == 0) break;
    text.remove_prefix(space);
  }
  return strip_end(text);
}

std::string single_spaced(std::string_view text) {
  std::string result;
  bool after_space = false;
  for (std::size_t i = 0; i < text.size();) {
    if (const auto space = white_space_at(text, i)) {
      after_space = true;
      i += space;
      continue;
    }
    if (after_space && !result.empty()) result += ' ';
    after_space = false;
    result += text[i++];
  }
  return result;
}

}  // namespace gloss
