#include "documents/formats/po_strings.h"

#include <algorithm>
#include <array>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

using namespace std::string_view_literals;

constexpr auto kPoEscapes = "n\nt\t\"\"\\\\r\ra\ab\bf\fv\v?\?''"sv;  ///< pairs of a letter and its character

constexpr auto kEnglish = "nplurals=2; plural=(n != 1);"sv;
/// Languages with other plural forms than English, as gettext's manual lists them.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kPluralForms{
    {{" ja ko zh vi th id ms lo my km jv ", "nplurals=1; plural=0;"},
     {" fr pt-br hy oc ", "nplurals=2; plural=(n > 1);"},
     {" ru uk be sr hr bs ",
      "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
     {" pl ", "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"},
     {" cs sk ", "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"},
     {" lt ", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && (n%100<10 || n%100>=20) ? 1 : 2);"},
     {" lv ", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n != 0 ? 1 : 2);"},
     {" ro ", "nplurals=3; plural=n==1 ? 0 : (n==0 || (n%100 > 0 && n%100 < 20)) ? 1 : 2;"},
     {" sl ", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);"},
     {" ga ", "nplurals=5; plural=n==1 ? 0 : n==2 ? 1 : (n>2 && n<7) ? 2 : (n>6 && n<11) ? 3 : 4;"},
     {" ar ", "nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;"}}};

/// Reads the digits of an escape, at most `max_digits`, and moves `place` after them.
std::optional<char> escaped_byte(std::string_view bytes, std::size_t& place, unsigned base, std::size_t max_digits) {
  const auto digits = std::string_view("0123456789abcdefABCDEF").substr(0, base == 16 ? 22 : 8);
  unsigned value = 0;
  std::size_t count = 0;
  for (; count < max_digits && place < bytes.size(); ++count, ++place) {
    const auto digit = digits.find(bytes[place]);
    if (digit == digits.npos) break;
    value = value * base + static_cast<unsigned>(digit < 16 ? digit : digit - 6);
  }
  if (count == 0 || value > 0xff) return {};
  return static_cast<char>(value);
}

std::string po_string(std::string_view line) {
  std::string result = "\"";
  for (const auto c : line) {
    const auto place = std::string_view("\n\t\"\\\r\a\b\f\v").find(c);
    if (place == std::string_view::npos) {
      result += c;
    } else {
      result += '\\';
      result += kPoEscapes[2 * place];
    }
  }
  return result + '"';
}

}  // namespace

std::optional<PluralForms> PluralForms::of(std::string_view field) {
  std::string short_field;
  for (const auto c : field)
    if (kAsciiSpace.find(c) == kAsciiSpace.npos && c != '(' && c != ')') short_field += c;
  const auto number = std::string_view(short_field).substr(0, short_field.find(';'));
  const auto equals = number.find('=');
  const auto count = equals == number.npos ? std::nullopt : parse_number<std::size_t>(number.substr(equals + 1));
  if (!number.starts_with("nplurals=") || !count || *count < 1 || *count > 10) return {};
  if (*count == 1) return PluralForms{1, 1, false};
  // One thing has the first form, but in some languages there is a form of nothing before it: "n==0 ? 0 : n==1 ? 1".
  const auto has = [&](std::string_view part) { return short_field.find(part) != short_field.npos; };
  const std::size_t singular = has("1?1:") && !has("1?0:") ? 1 : 0;
  return PluralForms{*count, singular, short_field.substr(0, short_field.find('?')).find('%') == std::string::npos};
}

std::string plural_forms_field(std::string_view language) {
  std::string lower;
  for (const auto c : language) lower += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c == '_' ? '-' : c;
  const auto short_one = lower.substr(0, lower.find('-'));
  for (const auto& tag : {lower, short_one})
    for (const auto& [languages, field] : kPluralForms)
      if (!tag.empty() && languages.find(' ' + tag + ' ') != languages.npos) return std::string(field);
  return std::string(kEnglish);
}

std::string po_language(std::string_view language) {
  const auto parts = split_text(language, '-');
  std::string result(parts[0]), modifier;
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    if (*part == "Latn") modifier = "@latin";
    if (*part == "Cyrl") modifier = "@cyrillic";
    if (part->size() == 2 || (part->size() == 3 && part->front() <= '9')) result.append("_").append(*part);
  }
  return result + modifier;
}

std::optional<std::string> decode_po(std::string_view bytes) {
  std::string text;
  for (std::size_t place = 0; place < bytes.size();) {
    const auto c = bytes[place++];
    if (c != '\\') {
      text += c;
      continue;
    }
    if (place == bytes.size()) return {};
    const auto letter = bytes[place];
    if (letter == 'x' || (letter >= '0' && letter <= '7')) {
      if (letter == 'x') ++place;
      const auto byte = escaped_byte(bytes, place, letter == 'x' ? 16 : 8, letter == 'x' ? 2 : 3);
      if (!byte) return {};
      text += *byte;
      continue;
    }
    std::size_t pair = 0;
    while (pair < kPoEscapes.size() && kPoEscapes[pair] != letter) pair += 2;
    if (pair >= kPoEscapes.size()) return {};
    text += kPoEscapes[pair + 1];
    ++place;
  }
  return is_text(text) ? std::optional(std::move(text)) : std::nullopt;
}

std::string po_strings(std::string_view text, std::string_view line_end) {
  if (text.find('\n') >= text.size() - std::min<std::size_t>(text.size(), 1)) return po_string(text);
  std::string result = "\"\"";
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size() - 1) + 1;
    result.append(line_end).append(po_string(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return result;
}

}  // namespace gloss
