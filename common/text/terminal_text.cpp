#include "common/text/terminal_text.h"

#include <algorithm>
#include <array>

#include "common/text/utf8.h"

namespace gloss {
namespace {

struct Range {
  char32_t first, last;
};

constexpr std::array kMarks = std::to_array<Range>(
    {{0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},    {0x610, 0x61a},   {0x64b, 0x65f},   {0x6d6, 0x6dc},
     {0x93c, 0x93c},   {0x941, 0x948},   {0x94d, 0x94d},    {0xe31, 0xe31},   {0xe34, 0xe3a},   {0xe47, 0xe4e},
     {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f},  {0x20d0, 0x20ff}, {0x3099, 0x309a}, {0xfe00, 0xfe0f},
     {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0xe0100, 0xe01ef}});
constexpr std::array kWide = std::to_array<Range>({{0x1100, 0x115f},
                                                   {0x2e80, 0x303e},
                                                   {0x3041, 0xa4cf},
                                                   {0xa960, 0xa97c},
                                                   {0xac00, 0xd7a3},
                                                   {0xf900, 0xfaff},
                                                   {0xfe30, 0xfe6f},
                                                   {0xff00, 0xff60},
                                                   {0xffe0, 0xffe6},
                                                   {0x1f300, 0x1f64f},
                                                   {0x1f680, 0x1f6ff},
                                                   {0x1f900, 0x1f9ff},
                                                   {0x20000, 0x3fffd}});

bool is_in(char32_t c, const auto& ranges) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

}  // namespace

std::size_t columns_of(char32_t character) {
  if (is_in(character, kMarks)) return 0;
  return is_in(character, kWide) ? 2 : 1;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for_each_character(text, [&](auto value, auto) { columns += columns_of(value.value_or(U'\ufffd')); });
  return columns;
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  std::size_t offset = 0;
  for (std::size_t used = 0; offset < text.size();) {
    const auto point = decode_utf8(text, offset);
    used += columns_of(point.value.value_or(U'\ufffd'));
    if (used > columns) break;
    offset += point.bytes;
  }
  return text.substr(0, offset);
}

std::string shortened(std::string_view text, std::size_t columns) {
  constexpr std::string_view kDots = "...";
  if (first_columns(text, columns).size() == text.size()) return std::string(text);
  if (columns < kDots.size()) return std::string(first_columns(text, columns));
  return std::string(first_columns(text, columns - kDots.size())) + std::string(kDots);
}

std::string wrapped(std::string_view text, std::size_t columns) {
  constexpr std::size_t kMinColumns = 20;
  constexpr std::string_view kIndent = "  ";
  std::string lines;
  if (columns < kMinColumns) return std::string(text);
  for (auto width = columns;; width = columns - kIndent.size()) {
    auto line = first_columns(text, width);
    if (line.size() == text.size()) return lines.append(line);
    const auto space = text[line.size()] == ' ' ? line.size() : line.rfind(' ');
    const bool has_word = space != line.npos && line.find_first_not_of(' ') < space;
    if (has_word) line = line.substr(0, space);
    lines.append(line).append("\n").append(kIndent);
    text.remove_prefix(line.size());
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
}

}  // namespace gloss
