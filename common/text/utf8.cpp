#include "common/text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>

#include "common/text/split.h"

namespace gloss {
namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

// Length and valid second bytes of a sequence, by its first byte. The range of the second byte excludes overlong forms,
// surrogates and values above U+10FFFF (Unicode, table 3-7).
struct Lead {
  std::size_t bytes;  // 0 if no sequence begins with this byte
  unsigned char second_low, second_high;
};

Lead classify(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xc2) return {0, 0, 0};
  if (first < 0xe0) return {2, 0x80, 0xbf};
  if (first == 0xe0) return {3, 0xa0, 0xbf};
  if (first == 0xed) return {3, 0x80, 0x9f};
  if (first < 0xf0) return {3, 0x80, 0xbf};
  if (first == 0xf0) return {4, 0x90, 0xbf};
  if (first < 0xf4) return {4, 0x80, 0xbf};
  if (first == 0xf4) return {4, 0x80, 0x8f};
  return {0, 0, 0};
}

// Returns whether 8 bytes follow and all are ASCII.
bool is_ascii_block(std::string_view text, std::size_t offset) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080U;
  std::uint64_t block = 0;
  if (text.size() - offset < sizeof block) return false;
  std::memcpy(&block, text.data() + offset, sizeof block);
  return (block & kHighBits) == 0;
}

bool continues_character(char byte) { return (byte & 0xc0) == 0x80; }

}  // namespace

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const auto lead = classify(byte(0));
  if (lead.bytes == 0) return {std::nullopt, 1};
  if (lead.bytes == 1) return {byte(0), 1};
  char32_t value = byte(0) & (0x7fU >> lead.bytes);
  for (std::size_t i = 1; i < lead.bytes; ++i) {
    const unsigned char low = i == 1 ? lead.second_low : 0x80;
    const unsigned char high = i == 1 ? lead.second_high : 0xbf;
    if (offset + i == text.size() || byte(i) < low || byte(i) > high) return {std::nullopt, i};
    value = value << 6 | (byte(i) & 0x3fU);
  }
  return {value, lead.bytes};
}

std::optional<std::size_t> first_invalid_utf8(std::string_view text) {
  for (std::size_t offset = 0; offset < text.size();) {
    if (is_ascii_block(text, offset)) {
      offset += sizeof(std::uint64_t);
      continue;
    }
    const auto point = decode_utf8(text, offset);
    if (!point.value) return offset;
    offset += point.bytes;
  }
  return std::nullopt;
}

std::string repair_utf8(std::string_view text) {
  std::string repaired;
  repaired.reserve(text.size());
  for_each_character(text, [&](auto value, std::string_view spelling) {
    repaired += value.value_or(0) == 0 ? kReplacement : spelling;
  });
  return repaired;
}

void append_utf8(char32_t character, std::string& text) {
  const auto tail = [character](int shift) { return static_cast<char>(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) {
    text += static_cast<char>(character);
  } else if (character < 0x800) {
    text += {static_cast<char>(0xc0 | character >> 6), tail(0)};
  } else if (character < 0x10000) {
    text += {static_cast<char>(0xe0 | character >> 12), tail(6), tail(0)};
  } else {
    text += {static_cast<char>(0xf0 | character >> 18), tail(12), tail(6), tail(0)};
  }
}

std::size_t last_character(std::string_view text) {
  constexpr std::size_t kMaxBytes = 4;
  auto begin = text.size() - 1;
  while (begin > 0 && text.size() - begin < kMaxBytes && continues_character(text[begin])) --begin;
  return begin;
}

TextSpan without_outer_space(std::string_view text, TextSpan range) {
  const auto is_space = [&](std::size_t place) {
    return is_white_space(decode_utf8(text, place).value.value_or(U'\ufffd'));
  };
  while (!range.empty() && is_space(range.begin)) range.begin += decode_utf8(text, range.begin).bytes;
  while (!range.empty()) {
    const auto last = range.begin + last_character(range.of(text));
    if (!is_space(last)) break;
    range.end = last;
  }
  return range;
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, std::not_fn(continues_character)));
}

}  // namespace gloss
