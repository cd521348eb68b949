#include "tokenizer/plain_text.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

bool spells_symbol(std::string_view behind_bracket) {
  constexpr std::array<std::string_view, 4> kNames{"s>", "/s>", "unk>", "pad>"};
  if (std::ranges::any_of(kNames, [&](auto name) { return behind_bracket.starts_with(name); })) return true;
  return behind_bracket.starts_with("0x") && behind_bracket.size() > 4 && behind_bracket[4] == '>';
}

using Range = std::pair<char32_t, char32_t>;

// SentencePiece's nmt_nfkc replaces kSpaces by a space and removes kRemoved. Without normalization only a space
// separates words.
constexpr std::array<Range, 13> kSpaces{{{0x09, 0x0A},
                                         {0x0C, 0x0D},
                                         {0x20, 0x20},
                                         {0xA0, 0xA0},
                                         {0x1680, 0x1680},
                                         {0x2000, 0x200C},
                                         {0x200E, 0x200F},
                                         {0x2028, 0x2029},
                                         {0x202F, 0x202F},
                                         {0x205F, 0x205F},
                                         {0x3000, 0x3000},
                                         {0xFEFF, 0xFEFF},
                                         {0xFFFD, 0xFFFD}}};
constexpr std::array<Range, 6> kRemoved{
    {{0x01, 0x08}, {0x0B, 0x0B}, {0x0E, 0x1F}, {0x7F, 0x7F}, {0x8F, 0x8F}, {0x9F, 0x9F}}};

bool is_in(std::span<const Range> ranges, char32_t character) {
  return std::ranges::any_of(ranges,
                             [&](const Range& range) { return character >= range.first && character <= range.second; });
}

}  // namespace

std::string without_space_marks(std::string_view text) {
  std::string result;
  for (auto position = text.find(kSpaceMark); position != text.npos; position = text.find(kSpaceMark)) {
    result.append(text.substr(0, position)) += '_';
    text.remove_prefix(position + kSpaceMark.size());
  }
  return result.append(text);
}

std::vector<std::string> split_symbol_names(std::string_view text) {
  std::vector<std::string> parts;
  for (auto bracket = text.find('<'); bracket != text.npos; bracket = text.find('<', bracket)) {
    if (!spells_symbol(text.substr(++bracket))) continue;
    parts.emplace_back(text.substr(0, bracket));
    text.remove_prefix(bracket);
    bracket = 0;
  }
  parts.emplace_back(text);
  return parts;
}

bool is_symbol_name(std::string_view text) {
  return text.starts_with('<') && spells_symbol(text.substr(1)) && text.find('>') == text.size() - 1;
}

std::int64_t count_words(std::string_view line, Normalization normalization) {
  const bool nmt = normalization == Normalization::kNmtNfkc;
  std::int64_t words = 0;
  bool within = false;
  for (std::size_t offset = 0; offset < line.size();) {
    const auto point = decode_utf8(line, offset);
    offset += point.bytes;
    const auto character = point.value.value_or(U'\uFFFD');
    const bool is_ascii = character > U' ' && character < 0x7F;  // fast path for most characters
    if (nmt && !is_ascii && is_in(kRemoved, character)) continue;
    const bool is_space = nmt ? !is_ascii && is_in(kSpaces, character) : character == U' ';
    words += !is_space && !within;
    within = !is_space;
  }
  return words;
}

}  // namespace gloss
