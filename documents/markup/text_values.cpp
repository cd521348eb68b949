#include "documents/formats/text_values.h"

#include <algorithm>

#include "common/text/split.h"
#include "common/text/word_boundary.h"
#include "documents/model/placeholders.h"

namespace gloss {
namespace {

constexpr std::string_view kDigits = "0123456789";

bool is_made_of(std::string_view text, std::string_view set) { return text.find_first_not_of(set) == text.npos; }

/// Returns the text without placeholders.
std::string without_codes(std::string_view value) {
  std::string text;
  std::size_t begin = 0;
  for (const auto& placeholder : find_placeholders(value)) {
    text += value.substr(begin, placeholder.span.begin - begin);
    begin = placeholder.span.end;
  }
  return text.append(value.substr(begin));
}

bool is_path(std::string_view value) {
  if (value.starts_with("./") || value.starts_with("../") || value.starts_with("~/")) return true;
  const auto slash = value.rfind('/'), dot = value.rfind('.');
  if (slash == value.npos) return false;
  const bool has_ending = dot != value.npos && dot > slash + 1 && value.size() - dot >= 3 && value.size() - dot <= 6;
  return has_ending || (value.starts_with('/') && slash > 0);
}

/// Matches btn_primary, :short, :smile: and app.title.
bool is_identifier(std::string_view value) {
  constexpr std::string_view kName = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (value.starts_with(':')) return is_made_of(value.substr(0, value.size() - 1), std::string(kName) + ":-");
  if (is_made_of(value, kName)) return value.find('_') != value.npos;
  const auto parts = split_text(value, '.');
  return parts.size() > 1 && std::ranges::all_of(parts, [&](auto part) {
           return part.size() > 1 && is_made_of(part, kName.substr(0, 37));
         });
}

/// Returns whether a value without white space is made for programs.
bool is_code(std::string_view value) {
  constexpr std::size_t kMaxWord = 60;
  if (value.size() > kMaxWord && std::ranges::all_of(value, [](char c) { return c > ' ' && c <= '~'; })) return true;
  if (value.starts_with('#') && value.size() >= 4 && is_made_of(value.substr(1), "0123456789abcdefABCDEF")) return true;
  const bool is_date = value.size() >= 7 && is_made_of(value.substr(0, 4), kDigits) && value[4] == '-' &&
                       is_made_of(value, "0123456789-:.+TZ");
  return is_date || is_path(value) || is_identifier(value);
}

}  // namespace

bool is_translatable_value(std::string_view value) {
  constexpr std::size_t kMaxChecked = 10'000;  // longer values are text or data without white space
  if (!has_letter(value)) return false;
  const auto begin = value.find_first_not_of(kAsciiSpace), end = value.find_last_not_of(kAsciiSpace) + 1;
  const auto trimmed = value.substr(begin, end - begin);
  if (trimmed.find_first_of(kAsciiSpace) == trimmed.npos && is_code(trimmed)) return false;
  return value.size() > kMaxChecked || has_letter(without_codes(value));
}

std::string with_element_texts(const InlineText& text) {
  std::string result;
  std::size_t begin = 0;
  for (const auto& element : text.elements) {
    result.append(text.text, begin, element.offset - begin).append(element.text);
    begin = element.offset;
  }
  return result.append(text.text, begin);
}

}  // namespace gloss
