#include "evaluation/ter/ter_tokenize.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "common/text/utf8.h"
#include "evaluation/tokenize/characters.h"
#include "evaluation/tokenize/strip.h"
#include "evaluation/tokenize/tokenize.h"
#include "evaluation/tokenize/tokenize_13a.h"

namespace gloss {
namespace {

struct Range {
  char32_t first, last;
};

/// Chinese characters, their parts and forms. sacreBLEU's rules for kana match only at the beginning of a line, where
/// it has inserted a space, and thus never apply.
constexpr std::array<Range, 6> kIdeographs = {
    {{0x2e80, 0x2eff}, {0x31c0, 0x31ef}, {0x3200, 0x4dbf}, {0x4e00, 0x9fff}, {0xf900, 0xfaff}, {0xfe30, 0xfe4f}}};
constexpr std::array<Range, 11> kAsianPunctuation = {{{0x3001, 0x3002},
                                                      {0x3008, 0x3011},
                                                      {0x3014, 0x301f},
                                                      {0x30fb, 0x30fb},
                                                      {0xff01, 0xff02},
                                                      {0xff08, 0xff09},
                                                      {0xff0c, 0xff0c},
                                                      {0xff0e, 0xff0e},
                                                      {0xff1a, 0xff1b},
                                                      {0xff1f, 0xff1f},
                                                      {0xff61, 0xff65}}};
constexpr std::u32string_view kSentenceMarks = U".,?:;!\"()";

bool in_ranges(std::span<const Range> ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](const Range& range) { return range.first <= c && c <= range.last; });
}

/// Rules for the characters of tokens.
class CharacterRules {
 public:
  explicit CharacterRules(const TerOptions& options) : options_(options) {}

  bool none() const { return !options_.no_punct && !(options_.normalized && options_.asian_support); }
  bool drops(char32_t c) const {
    if (!options_.no_punct) return false;
    return kSentenceMarks.find(c) != kSentenceMarks.npos || (options_.asian_support && in_ranges(kAsianPunctuation, c));
  }
  bool sets_apart(char32_t c) const {
    return options_.normalized && options_.asian_support &&
           (in_ranges(kIdeographs, c) || in_ranges(kAsianPunctuation, c));
  }

 private:
  const TerOptions& options_;
};

void append_by_rules(const CharacterRules& rules, std::string_view token, std::string& result) {
  bool begins = true;
  for (std::size_t offset = 0; offset < token.size();) {
    const auto point = decode_utf8(token, offset);
    const auto character = token.substr(offset, point.bytes);
    offset += point.bytes;
    const bool apart = point.value && rules.sets_apart(*point.value);
    begins |= apart;
    if (point.value && rules.drops(*point.value)) continue;
    if (begins && !result.empty()) result += ' ';
    result += character;
    begins = apart;
  }
}

/// Returns whether the text up to `end` ends with a possessive that sacreBLEU separates. Such a possessive is before a
/// space or a symbol, but not before a stop or other white space. The end of the text and of its lines count as spaces.
bool ends_with_possessive(std::string_view token, std::string_view text, std::size_t end) {
  if (!token.ends_with("'s")) return false;
  if (end == text.size() || text[end] == ' ' || text[end] == '\n') return true;
  return text[end] != '.' && text[end] != ',' && white_space_at(text, end) == 0;
}

}  // namespace

std::string tokenize_tercom(const TerOptions& options, std::string_view line) {
  line = strip_end(line);
  std::string text = options.case_sensitive ? std::string(line) : lower(line), result, buffer;
  std::vector<std::string_view> tokens;
  if (options.normalized) {
    replace_all(text, "\n-", "");
    resolve_entities(text);
    append_western_tokens(text, Alone::kNothing, tokens);
  } else {
    append_tokens(BleuTokenizer::kNone, text, buffer, tokens);
  }

  const CharacterRules rules(options);
  result.reserve(text.size() * 2);
  const auto append = [&](std::string_view token) {
    if (!rules.none()) return append_by_rules(rules, token, result);
    if (!result.empty()) result += ' ';
    result += token;
  };
  for (auto token : tokens) {
    const auto end = static_cast<std::size_t>(token.data() - text.data()) + token.size();
    if (options.normalized && token.size() > 2 && ends_with_possessive(token, text, end)) {
      append(token.substr(0, token.size() - 2));
      token.remove_prefix(token.size() - 2);
    }
    append(token);
  }
  return result;
}

}  // namespace gloss
