#include "evaluation/tokenize.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/utf8.h"
#include "evaluation/tokenize_13a.h"
#include "evaluation/white_space.h"

namespace gloss {
namespace {

/// What sacreBLEU takes for Chinese. The ranges of 0x2001 and 0x2f81 come of its writing "\u20000" and "\u2f800", which
/// Python reads as a character and a digit; scores must follow.
constexpr std::array<std::pair<char32_t, char32_t>, 22> kChinese = {{
    {0x2001, 0x2a6d}, {0x2e80, 0x2eff}, {0x2f00, 0x2fdf}, {0x2f81, 0x2fa1}, {0x2ff0, 0x2fff}, {0x3000, 0x303f},
    {0x3100, 0x312f}, {0x31a0, 0x31bf}, {0x31c0, 0x31ef}, {0x3200, 0x32ff}, {0x3300, 0x33ff}, {0x3400, 0x4db5},
    {0x4e00, 0x9fa5}, {0x9fa6, 0x9fbb}, {0xf900, 0xfa2d}, {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f},
    {0xfe30, 0xfe4f}, {0xff00, 0xffef}, {0x2600, 0x26ff}, {0x2700, 0x27bf},
}};

bool is_chinese(char32_t c) {
  return std::ranges::any_of(kChinese, [c](const auto& range) { return range.first <= c && c <= range.second; });
}

/// A space on both sides of each character for which `alone` holds.
template <typename Alone>
std::string set_apart(std::string_view line, Alone alone) {
  std::string result;
  result.reserve(line.size() * 2);
  for (std::size_t offset = 0; offset < line.size();) {
    const auto point = decode_utf8(line, offset);
    const auto text = line.substr(offset, point.bytes);
    offset += point.bytes;
    if (point.value && alone(*point.value)) {
      (result += ' ') += text;
      result += ' ';
    } else {
      result += text;
    }
  }
  return result;
}

}  // namespace

std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer) {
  return std::ranges::find(kBleuTokenizers, tokenizer, &std::pair<std::string_view, BleuTokenizer>::second)->first;
}

std::string tokenize(BleuTokenizer tokenizer, std::string_view line) {
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return tokenize_13a(line);
    case BleuTokenizer::kZh:
      return set_punctuation_apart(set_apart(strip(line), is_chinese));
    case BleuTokenizer::kChar:
      return single_spaced(set_apart(line, [](char32_t) { return true; }));
    case BleuTokenizer::kNone:
      return single_spaced(line);
  }
  return {};
}

}  // namespace gloss
