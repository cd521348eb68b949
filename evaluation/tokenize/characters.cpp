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

}  // namespace gloss
