#include "documents/model/placeholders.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

#include "common/sentences/sentence_marks.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

constexpr std::size_t kMaxLength = 2000;  ///< bytes of a placeholder

bool is_name_character(char c) { return is_ascii_alphanumeric(c) || c == '_'; }
bool is_any_of(char c, std::string_view set) { return set.find(c) != set.npos; }

/// A text from one place on. Functions skip characters and return whether, or how many, there were.
struct Rest {
  std::string_view text;
  std::size_t offset = 0;

  bool at_end() const { return offset >= text.size(); }
  char peek() const { return at_end() ? '\0' : text[offset]; }
  bool skip(char c) { return !at_end() && text[offset] == c && ++offset > 0; }
  bool skip(std::string_view prefix) {
    if (!text.substr(offset).starts_with(prefix)) return false;
    offset += prefix.size();
    return true;
  }
  std::size_t skip_while(const auto& is_wanted) {
    const auto begin = offset;
    while (!at_end() && is_wanted(text[offset])) ++offset;
    return offset - begin;
  }
};

/// Returns the end of the brackets that open at the beginning, or 0.
std::size_t balanced(std::string_view text, char open, char close) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size() && i < kMaxLength; ++i) {
    if (text[i] == open) ++depth;
    if (text[i] == close && --depth == 0) return i + 1;
  }
  return 0;
}

/// Matches %s, %1$d, %-5.2lf, %(name)s, %{name}, %<name>s, %@, %%, Qt's %1, Java's %1$b, and strftime's %Y.
std::size_t printf_length(std::string_view text) {
  Rest rest{text, 1};
  if (rest.skip('%')) return rest.offset;
  if (rest.peek() == '{') {
    const auto length = balanced(text.substr(1), '{', '}');
    return length > 2 ? length + 1 : 0;
  }
  for (const auto& [open, close] : {std::pair{'(', ')'}, std::pair{'<', '>'}})
    if (rest.skip(open))
      if (rest.skip_while([](char c) { return is_name_character(c) || c == '.' || c == '-'; }) == 0 ||
          !rest.skip(close))
        return 0;
  if (rest.peek() == 'L' && is_ascii_digit(text.substr(rest.offset).size() > 1 ? text[rest.offset + 1] : ' '))
    ++rest.offset;
  if (Rest directive{text, std::size_t{1} + (rest.peek() == '-' ? 1 : 0)};
      is_any_of(directive.peek(), "aAbBcCdDeFgGhHIjkmMpPrRSTuUVwWxXyYzZ") && ++directive.offset > 0 &&
      !is_name_character(directive.peek()))
    return directive.offset;
  auto position = rest;
  const auto number_end = position.skip_while(is_ascii_digit) > 0 ? position.offset : 0;
  const bool has_position = number_end > 0 && position.skip('$');
  if (has_position) rest = position;
  rest.skip_while([](char c) { return is_any_of(c, "-+#0'"); });
  if (!rest.skip('*')) rest.skip_while(is_ascii_digit);
  if (auto precision = rest; precision.skip('.') && (number_end == 0 || is_any_of(precision.peek(), "*0123456789"))) {
    rest = precision;
    if (!rest.skip('*')) rest.skip_while(is_ascii_digit);
  }
  if (has_position && is_any_of(rest.peek(), "bBhHtT")) {
    const bool is_date = rest.skip('t') || rest.skip('T');
    return rest.offset + (!is_date || is_ascii_letter(rest.peek()) ? 1 : 0);
  }
  rest.skip_while([](char c) { return is_any_of(c, "hlLqjzt"); });
  if (rest.at_end() || !is_any_of(rest.peek(), "diouxXeEfFgGaAcCsSpnr@")) return has_position ? 0 : number_end;
  ++rest.offset;
  return is_name_character(rest.peek()) && rest.offset == 2 ? 0 : rest.offset;  // "%discount"
}

/// Matches {}, names in braces and messages of ICU: no white space, or a comma after the name.
std::size_t brace_length(std::string_view text) {
  const auto length = balanced(text, '{', '}');
  if (length <= 2) return length;
  const auto inside = text.substr(1, length - 2);
  if (inside.starts_with('{') || inside.starts_with('%')) return length;
  Rest rest{inside};
  rest.skip_while([](char c) { return is_any_of(c, kAsciiSpace); });
  const auto name = rest.skip_while([](char c) { return is_name_character(c) || is_any_of(c, ".-@$/[]#:|=()!"); });
  rest.skip_while([](char c) { return is_any_of(c, kAsciiSpace); });
  return name > 0 && (rest.at_end() || rest.peek() == ',') ? length : 0;
}

/// Matches ${x}, $t(key), $name$ and $name.
std::size_t dollar_length(std::string_view text) {
  Rest rest{text, 1};
  if (rest.peek() == '{') {
    const auto length = balanced(text.substr(1), '{', '}');
    return length > 2 ? length + 1 : 0;
  }
  if (rest.skip("t(")) {
    const auto length = balanced(text.substr(2), '(', ')');
    return length > 2 ? length + 2 : 0;
  }
  if (!is_ascii_letter(rest.peek()) && rest.peek() != '_') return 0;
  rest.skip_while(is_name_character);
  rest.skip('$');
  return rest.offset;
}

/// Matches tags: <b>, </b>, <br/>, <a href="x">, <0>, </0>, <0/>.
std::optional<Placeholder> tag_at(std::string_view text) {
  Rest rest{text, 1};
  const bool closes = rest.skip('/');
  if (!is_ascii_alphanumeric(rest.peek())) return {};
  const auto name_begin = rest.offset;
  rest.skip_while([](char c) { return is_name_character(c) || c == '-' || c == ':'; });
  const auto name = text.substr(name_begin, rest.offset - name_begin);
  if (!rest.at_end() && !is_any_of(rest.peek(), " \t\r\n/>")) return {};
  char quote = '\0';
  for (; !rest.at_end() && rest.offset < kMaxLength; ++rest.offset) {
    const auto c = rest.peek();
    if (quote != '\0')
      quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'')
      quote = c;
    else if (c == '<')
      return {};
    else if (c == '>')
      break;
  }
  if (rest.peek() != '>') return {};
  constexpr std::array<std::string_view, 5> kVoid{"br", "BR", "hr", "img", "wbr"};
  const bool is_mark = text[rest.offset - 1] == '/' || std::ranges::find(kVoid, name) != kVoid.end();
  const auto kind = is_ascii_digit(name[0]) && is_mark ? Placeholder::Kind::kCode
                    : is_mark                          ? Placeholder::Kind::kMark
                    : closes                           ? Placeholder::Kind::kClosing
                                                       : Placeholder::Kind::kOpening;
  return Placeholder{{0, rest.offset + 1}, kind};
}

std::size_t entity_length(std::string_view text) {
  Rest rest{text, 1};
  const bool is_number = rest.skip('#');
  const auto length = rest.skip_while(is_ascii_alphanumeric);
  const bool is_name = is_number || (length > 1 && is_ascii_letter(text[1]));
  return is_name && length > 0 && length < 32 && rest.skip(';') ? rest.offset : 0;
}

/// Returns the length of a URL without the punctuation after it.
std::size_t url_length(std::string_view text) {
  constexpr std::array<std::string_view, 7> kBeginnings{"https://", "http://", "ftp://", "file://",
                                                        "www.",     "mailto:", "tel:"};
  const auto begins = std::ranges::find_if(kBeginnings, [&](auto b) { return text.starts_with(b); });
  if (begins == kBeginnings.end()) return 0;
  const auto is_part = [](char c) { return static_cast<unsigned char>(c) > ' ' && !is_any_of(c, "<>\"`{}|\\^\x7f"); };
  constexpr auto kEnds = std::to_array<std::string_view>({"&quot;", "&lt;", "&gt;", "&apos;", "&#34;", "&#39;",
                                                          "&nbsp;", "\u201c", "\u201d", "\u2019", "\u00ab", "\u00bb",
                                                          "\u2026", "\u3001", "\u3002", "\uff0c", "\uff09", "\u300d"});
  Rest rest{text, begins->size()};
  rest.skip_while(is_part);
  auto url = text.substr(0, rest.offset);
  for (const auto end : kEnds) url = url.substr(0, url.find(end));
  auto open = std::ranges::count(url, '(') - std::ranges::count(url, ')');
  while (url.size() > begins->size()) {
    const bool closes_nothing = url.back() == ')' && open < 0;
    if (closes_nothing) ++open;
    if (!closes_nothing && !is_any_of(url.back(), ".,;:!?'*_")) break;
    url.remove_suffix(1);
  }
  return url.size() > begins->size() ? url.size() : 0;
}

std::size_t address_length(std::string_view text) {
  Rest rest{text};
  if (rest.skip_while([](char c) { return is_name_character(c) || is_any_of(c, ".+-"); }) == 0 || !rest.skip('@'))
    return 0;
  const auto domain = rest.offset;
  rest.skip_while([](char c) { return is_ascii_alphanumeric(c) || c == '.' || c == '-'; });
  while (rest.offset > domain && !is_ascii_alphanumeric(text[rest.offset - 1])) --rest.offset;
  const auto dot = text.substr(domain, rest.offset - domain).rfind('.');
  return dot != text.npos && dot > 0 && rest.offset - domain - dot > 2 ? rest.offset : 0;
}

/// Returns whether a character is a sign that vocabularies often lack: of currencies, mathematics, technology, arrows,
/// geometric shapes; \u00a9 and \u00b0, but no punctuation.
bool is_sign(char32_t c) {
  constexpr std::u32string_view kLatin =
      U"\u00a2\u00a3\u00a4\u00a5\u00a7\u00a9\u00ac\u00ae\u00b0\u00b1\u00b6\u00d7\u00f7";
  return kLatin.find(c) != kLatin.npos || (c >= 0x20a0 && c <= 0x20cf) || (c >= 0x2100 && c <= 0x214f) ||
         (c >= 0x2190 && c <= 0x25ff) || (c >= 0x27c0 && c <= 0x2bff);
}

/// Matches an emoji with its modifiers, and those that a joiner adds. A sign that is text by itself is one if a
/// variation selector makes it one, and a digit if it is on a key.
std::size_t emoji_length(std::string_view text) {
  constexpr std::string_view kEmojiSelector = "\uFE0F", kKey = "\u20E3";
  std::size_t length = 0;
  bool joins = true;
  while (length < text.size()) {
    const auto [value, bytes] = decode_utf8(text, length);
    const auto c = value.value_or(0);
    const bool modifies = length > 0 && (c == 0xFE0F || c == 0x200D || c == 0x20E3 || (c >= 0x1F3FB && c <= 0x1F3FF) ||
                                         (c >= 0xE0020 && c <= 0xE007F));
    const bool is_flag = c >= 0x1F1E6 && c <= 0x1F1FF;
    const auto after = text.substr(length + bytes);
    const bool is_made_emoji = after.starts_with(kEmojiSelector) || after.starts_with(kKey);
    if (!modifies && !(joins && (is_emoji(c) || is_made_emoji))) break;
    joins = c == 0x200D || (is_flag && length == 0);
    length += bytes;
  }
  return length;
}

/// Returns the end of a number at a place: 5, 1,000.50, 10 000; a space, not a line end, may separate groups of three
/// digits. `begin` if there is none.
std::size_t end_of_number(std::string_view text, std::size_t begin) {
  constexpr std::size_t kMaxNumber = 40;
  Rest rest{text.substr(0, begin + kMaxNumber), begin};
  const auto digits = rest.skip_while(is_ascii_digit);
  if (digits == 0) return begin;
  const auto skip_space = [](Rest& at) {
    return at.skip(' ') || at.skip("\u00a0") || at.skip("\u202f") || at.skip("\u2009");
  };
  for (auto group = rest; digits <= 3 && skip_space(group) && group.skip_while(is_ascii_digit) == 3;) rest = group;
  rest.skip_while([](char c) { return is_ascii_digit(c) || c == '.' || c == ','; });
  while (!is_ascii_digit(text[rest.offset - 1])) --rest.offset;
  return rest.offset;
}

/// Matches a number and a unit, with or without a space: 5 km, 20 °C, 50%, $5, 1,000.50 €, 5-10 km; 5 s,
/// but not the 1980s.
std::size_t quantity_length(std::string_view text) {
  constexpr auto kUnits = std::to_array<std::string_view>(
      {"%",  "‰",   "°C",  "°F",  "°",   "€",  "$",   "£",   "¥",   "km/h", "km²", "km",  "cm²", "cm", "mm", "m²",
       "m³", "m/s", "mg",  "kg",  "µg",  "ml", "kWh", "kW",  "MW",  "GW",   "kHz", "MHz", "GHz", "Hz", "KB", "MB",
       "GB", "TB",  "KiB", "MiB", "GiB", "kB", "dB",  "mAh", "hPa", "kPa",  "Pa",  "mph", "px",  "pt", "ms", "µs",
       "ns", "g",   "m",   "l",   "L",   "W",  "V",   "A",   "Ω",   "K",    "B",   "s",   "h"});
  constexpr auto kCurrencies = std::to_array<std::string_view>({"$", "€", "£", "¥", "US$"});
  Rest rest{text};
  const bool has_currency = std::ranges::any_of(kCurrencies, [&](auto sign) { return rest.skip(sign); });
  const auto number = rest.offset;
  rest.offset = end_of_number(text, number);
  if (rest.offset == number) return 0;
  if (auto range = rest; range.skip('-') || range.skip("\u2013"))
    if (const auto end = end_of_number(text, range.offset); end > range.offset) rest.offset = end;
  if (has_currency) return rest.offset;
  for (const auto unit : kUnits) {
    auto after = rest;
    if (!after.skip(' ')) (void)(after.skip("\xC2\xA0") || after.skip("\xE2\x80\xAF"));
    const auto unit_begin = text.substr(std::min(after.offset, text.size()));
    if (!after.skip(unit) || !is_word_boundary(text, after.offset)) continue;
    if (unit == "s" && after.offset == rest.offset + 1) continue;
    if (unit == "%" && printf_length(unit_begin) > 0) return 0;
    return after.offset;
  }
  return 0;
}

class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text) {}

  std::vector<Placeholder> find() {
    while (offset_ < text_.size()) {
      const auto found = placeholder_here();
      if (!found) {
        offset_ += decode_utf8(text_, offset_).bytes;
        continue;
      }
      result_.push_back({{offset_, offset_ + found->span.end}, found->kind});
      offset_ += found->span.end;
    }
    return result_;
  }

 private:
  static std::optional<Placeholder> of_length(std::size_t length, Placeholder::Kind kind = Placeholder::Kind::kCode) {
    return length > 0 ? std::optional(Placeholder{{0, length}, kind}) : std::nullopt;
  }

  std::optional<Placeholder> placeholder_here() const {
    const auto rest = text_.substr(offset_);
    const auto before = offset_ == 0 ? '\0' : text_[offset_ - 1];
    switch (rest[0]) {
      case '%':
        return of_length(
            is_ascii_digit(before) && (rest.size() == 1 || !is_ascii_digit(rest[1])) ? 0 : printf_length(rest));
      case '{':
        return of_length(brace_length(rest));
      case '#':
        if (const auto length = brace_length(rest.substr(1)); rest.starts_with("#{") && length > 0)
          return of_length(1 + length);
        break;
      case '<':
        return tag_at(rest);
      case '&':
        return of_length(entity_length(rest));
      default:
        break;
    }
    if (rest[0] == '$' && !is_ascii_alphanumeric(before))
      if (const auto length = dollar_length(rest); length > 0) return of_length(length);
    if (!is_word_boundary(text_, offset_)) return {};
    if (const auto length = emoji_length(rest); length > 0) return of_length(length);
    if (is_ascii_alphanumeric(rest[0])) {
      if (const auto length = url_length(rest); length > 0) return of_length(length);
      const auto address = is_any_of(before, ".+-@_") ? 0 : address_length(rest);
      if (address > 0) return of_length(address);
    }
    if (const auto [value, bytes] = decode_utf8(rest, 0); is_sign(value.value_or(0)))
      return of_length(bytes, Placeholder::Kind::kSign);
    if (is_any_of(before, ".,") && offset_ > 1 && is_ascii_digit(text_[offset_ - 2])) return {};  // within 1.5
    return of_length(quantity_length(rest), Placeholder::Kind::kQuantity);
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  std::vector<Placeholder> result_;
};

}  // namespace

std::vector<Placeholder> find_placeholders(std::string_view text) { return Finder(text).find(); }

std::size_t list_mark_length(std::string_view text) {
  constexpr auto kBullets = std::to_array<std::string_view>(
      {"-", "*", "+", "\u2010", "\u2013", "\u2014", "\u2022", "\u00b7", "\u2023", "\u25e6", "\u25aa", "\u25ab",
       "\u25a0", "\u25a1", "\u25cf", "\u25cb", "\u27a2", "\u2192", "\u2713"});
  Rest rest{text};
  if (std::ranges::none_of(kBullets, [&](auto bullet) { return rest.skip(bullet); })) {
    const bool opens = rest.skip('(');
    const auto digits = rest.skip_while(is_ascii_digit);
    while (digits > 0 && rest.skip('.')) rest.skip_while(is_ascii_digit);  // 1.2.
    const auto letter = rest.peek();
    const auto numerals = digits > 0 ? 0 : rest.skip_while([](char c) { return is_any_of(c, "ivxlcIVXLC"); });
    if (digits == 0 && numerals == 0 && is_ascii_letter(letter)) ++rest.offset;
    const bool ends_with_period = !opens && digits > 0 && text[rest.offset - 1] == '.';
    if (rest.offset == (opens ? 1 : 0) || digits > 3 || numerals > 5 || !(rest.skip(')') || ends_with_period)) return 0;
  }
  const bool is_mark = rest.skip_while([](char c) { return is_any_of(c, kAsciiSpace); }) > 0;
  return is_mark && !rest.at_end() ? rest.offset : 0;
}

}  // namespace gloss
