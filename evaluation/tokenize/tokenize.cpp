#include "evaluation/tokenize/tokenize.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/config/config_section.h"
#include "common/text/utf8.h"
#include "evaluation/tokenize/characters.h"

namespace gloss {
namespace {

/// Collects the tokens of a text for a tokenizer that scans it from left to right.
class TokenCutter {
 public:
  TokenCutter(std::string_view text, std::vector<std::string_view>& tokens) : text_(text), tokens_(tokens) {}

  /// Ends the current token before `offset` and skips `bytes` bytes.
  void skip(std::size_t offset, std::size_t bytes) {
    if (offset > begin_) tokens_.push_back(text_.substr(begin_, offset - begin_));
    begin_ = offset + bytes;
  }
  /// Makes the `bytes` bytes from `offset` on a separate token.
  void set_apart(std::size_t offset, std::size_t bytes) {
    skip(offset, bytes);
    tokens_.push_back(text_.substr(offset, bytes));
  }
  void end() { skip(text_.size(), 0); }

 private:
  std::string_view text_;
  std::vector<std::string_view>& tokens_;
  std::size_t begin_ = 0;
};

/// Returns the text for mteval-v13a.pl's rules: without "<skipped>", with words joined that are hyphenated over a line
/// end, and with four entities resolved. It refers to the line, or to `buffer` if that changes it.
std::string_view without_markup(std::string_view line, std::string& buffer) {
  const auto has = [line](char c) { return line.find(c) != line.npos; };
  if (!has('&') && !has('<') && !has('\n')) return line;
  buffer = line;
  replace_all(buffer, "<skipped>", "");
  replace_all(buffer, "-\n", "");
  resolve_entities(buffer);
  return buffer;
}

/// Ranges that sacreBLEU treats as Chinese. Those of 0x2001 and 0x2f81 result from its "\u20000" and "\u2f800", which
/// Python reads as a character and a digit; they are kept for equal scores.
constexpr std::array<std::pair<char32_t, char32_t>, 22> kChinese = {{
    {0x2001, 0x2a6d}, {0x2e80, 0x2eff}, {0x2f00, 0x2fdf}, {0x2f81, 0x2fa1}, {0x2ff0, 0x2fff}, {0x3000, 0x303f},
    {0x3100, 0x312f}, {0x31a0, 0x31bf}, {0x31c0, 0x31ef}, {0x3200, 0x32ff}, {0x3300, 0x33ff}, {0x3400, 0x4db5},
    {0x4e00, 0x9fa5}, {0x9fa6, 0x9fbb}, {0xf900, 0xfa2d}, {0xfa30, 0xfa6a}, {0xfa70, 0xfad9}, {0xfe10, 0xfe1f},
    {0xfe30, 0xfe4f}, {0xff00, 0xffef}, {0x2600, 0x26ff}, {0x2700, 0x27bf},
}};

bool is_chinese(char32_t c) {
  return std::ranges::any_of(kChinese, [c](const auto& range) { return range.first <= c && c <= range.second; });
}

/// Classes of bytes for the rules. All are ASCII except for the first bytes of multibyte characters.
enum class Kind : unsigned char { kPlain, kDigit, kStop, kHyphen, kSymbol, kSpace, kWide };

constexpr std::array<Kind, 256> kKinds = [] {
  std::array<Kind, 256> kinds{};
  const auto set = [&kinds](int first, int last, Kind kind) {
    for (int c = first; c <= last; ++c) kinds[static_cast<std::size_t>(c)] = kind;
  };
  set('!', '/', Kind::kSymbol);
  set(':', '@', Kind::kSymbol);
  set('[', '`', Kind::kSymbol);
  set('{', '~', Kind::kSymbol);
  set('\'', '\'', Kind::kPlain);
  set('.', '.', Kind::kStop);
  set(',', ',', Kind::kStop);
  set('-', '-', Kind::kHyphen);
  set('0', '9', Kind::kDigit);
  set('\t', '\r', Kind::kSpace);
  set('\x1c', ' ', Kind::kSpace);
  set(0xc0, 0xff, Kind::kWide);
  return kinds;
}();

Kind kind_of(char c) { return kKinds[static_cast<unsigned char>(c)]; }

/// Splits like Python's str.split().
void append_words(std::string_view text, std::vector<std::string_view>& tokens) {
  TokenCutter cutter(text, tokens);
  for (std::size_t i = 0; i < text.size();) {
    const auto space = white_space_at(text, i);
    if (space > 0) cutter.skip(i, space);
    i += std::max<std::size_t>(space, 1);
  }
  cutter.end();
}

void append_characters(std::string_view text, std::vector<std::string_view>& tokens) {
  for (std::size_t i = 0; i < text.size();) {
    const auto bytes = decode_utf8(text, i).bytes;
    if (white_space_at(text, i) == 0) tokens.push_back(text.substr(i, bytes));
    i += bytes;
  }
}

/// Appends the tokens by the rules of mteval-v14.pl. They insert spaces around punctuation that follows a character
/// other than a number, around punctuation that precedes one, and around symbols. As in 13a, the first rule skips a
/// character whose predecessor it has just matched. No character precedes or follows the text.
void append_international_tokens(std::string_view text, std::vector<std::string_view>& tokens) {
  using Classes = CharacterClasses;
  const auto& table = Classes::table();
  const auto classes_of = [&](const CodePoint& point) { return point.value ? table[*point.value] : std::uint8_t{0}; };
  TokenCutter cutter(text, tokens);
  bool after_non_number = false;  // whether the first rule may apply
  for (std::size_t i = 0; i < text.size();) {
    const auto point = decode_utf8(text, i);
    const auto classes = classes_of(point);
    const auto next = i + point.bytes;
    bool taken = false;
    if (white_space_at(text, i) > 0) {
      cutter.skip(i, point.bytes);
    } else if (classes & Classes::kSymbol) {
      cutter.set_apart(i, point.bytes);
    } else if (classes & Classes::kPunctuation) {
      taken = after_non_number;
      const bool before_other = next < text.size() && !(classes_of(decode_utf8(text, next)) & Classes::kNumber);
      if (after_non_number || before_other) cutter.set_apart(i, point.bytes);
    }
    after_non_number = !taken && !(classes & Classes::kNumber);
    i = next;
  }
  cutter.end();
}

}  // namespace

void replace_all(std::string& text, std::string_view old, std::string_view fresh) {
  std::string result;
  std::size_t begin = 0;
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, begin)) {
    result.append(text, begin, at - begin).append(fresh);
    begin = at + old.size();
  }
  if (begin > 0) text = result.append(text, begin);
}

void resolve_entities(std::string& text) {
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
}

// The rules of mteval-v13a.pl are substitutions over the whole text, one after the other. They insert spaces around
// symbols; around a stop after a character other than a digit; around a stop before one; around a hyphen after a digit.
// The second rule consumes both characters, so it skips a stop whose predecessor it has just matched; the third rule
// then applies.
void append_western_tokens(std::string_view text, Alone alone, std::vector<std::string_view>& tokens) {
  TokenCutter cutter(text, tokens);
  const bool spaces_around = alone == Alone::kNothing;
  const auto is_digit = [text](std::size_t i) { return kind_of(text[i]) == Kind::kDigit; };
  std::size_t after_match = text.npos;  // after the last stop that the second rule matched
  for (std::size_t i = 0; i < text.size();) {
    std::size_t bytes = 1;
    switch (kind_of(text[i])) {
      case Kind::kPlain:
      case Kind::kDigit:
        break;
      case Kind::kSpace:
        cutter.skip(i, 1);
        break;
      case Kind::kSymbol:
        cutter.set_apart(i, 1);
        break;
      case Kind::kStop: {
        const bool behind_other = i == 0 ? spaces_around : !is_digit(i - 1) && after_match != i;
        const bool before_other = i + 1 == text.size() ? spaces_around : !is_digit(i + 1);
        if (behind_other) after_match = i + 1;
        if (behind_other || before_other) cutter.set_apart(i, 1);
        break;
      }
      case Kind::kHyphen:
        if (i > 0 && is_digit(i - 1)) cutter.set_apart(i, 1);
        break;
      case Kind::kWide:
        if (const auto space = white_space_at(text, i); space > 0) {
          cutter.skip(i, bytes = space);
        } else if (alone == Alone::kChinese) {
          const auto point = decode_utf8(text, i);
          bytes = point.bytes;
          if (point.value && is_chinese(*point.value)) cutter.set_apart(i, bytes);
        }
        break;
    }
    i += bytes;
  }
  cutter.end();
}

std::optional<BleuTokenizer> unspaced_tokenizer(Writing writing) {
  if (writing == Writing::kSpaces) return std::nullopt;
  return writing == Writing::kChinese ? BleuTokenizer::kZh : BleuTokenizer::kChar;
}

std::string_view bleu_tokenizer_name(BleuTokenizer tokenizer) {
  return choice_name(tokenizer, Choices<BleuTokenizer>(kBleuTokenizers));
}

void append_tokens(BleuTokenizer tokenizer, std::string_view line, std::string& buffer,
                   std::vector<std::string_view>& tokens) {
  switch (tokenizer) {
    case BleuTokenizer::k13a:
      return append_western_tokens(without_markup(line, buffer), Alone::kNothing, tokens);
    case BleuTokenizer::kIntl:
      return append_international_tokens(line, tokens);
    case BleuTokenizer::kZh:
      return append_western_tokens(strip(line), Alone::kChinese, tokens);
    case BleuTokenizer::kChar:
      return append_characters(line, tokens);
    case BleuTokenizer::kNone:
      return append_words(line, tokens);
  }
}

std::string tokenize(BleuTokenizer tokenizer, std::string_view line) {
  std::string buffer, text;
  std::vector<std::string_view> tokens;
  append_tokens(tokenizer, line, buffer, tokens);
  for (const auto token : tokens) (text += text.empty() ? "" : " ") += token;
  return text;
}

}  // namespace gloss
