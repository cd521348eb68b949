#include "documents/markup/text_values.h"

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
  if (value.size() > 2 && is_ascii_letter(value[0]) && value.substr(1).starts_with(":\\")) return true;
  const auto slash = value.find_last_of("/\\"), dot = value.rfind('.');
  if (slash == value.npos) return false;
  const bool has_ending = dot != value.npos && dot > slash + 1 && value.size() - dot >= 3 && value.size() - dot <= 6;
  return has_ending || (value.starts_with('/') && slash > 0);
}

/// Matches btn_primary, :short, :smile:, app.title, com.example.Main and System.Windows.Forms.
bool is_identifier(std::string_view value) {
  constexpr std::string_view kName = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (value.starts_with(':')) return is_made_of(value.substr(0, value.size() - 1), std::string(kName) + ":-");
  if (is_made_of(value, kName)) return value.find('_') != value.npos;
  const auto parts = split_text(value, '.');
  const bool is_small = !value.empty() && !is_made_of(value.substr(0, 1), kName.substr(37));
  return parts.size() > (is_small ? 1 : 2) &&
         std::ranges::all_of(parts, [&](auto part) { return part.size() > 1 && is_made_of(part, kName); });
}

bool is_color(std::string_view value) {
  return value.starts_with('#') && value.size() >= 4 && is_made_of(value.substr(1), "0123456789abcdefABCDEF");
}

/// Matches ID-12, AB12, v1.2.3 and b9f0-4a: capitals and a digit, or a sign and not more letters than digits. 3D, mp3,
/// 21st and 5-day are text.
bool is_number_of_part(std::string_view value) {
  std::size_t digits = 0, small = 0, letters = 0;
  for (const char c : value) {
    if (!is_ascii_alphanumeric(c) && std::string_view("-_./#").find(c) == std::string_view::npos) return false;
    digits += is_ascii_digit(c) ? 1 : 0;
    letters += is_ascii_letter(c) ? 1 : 0;
    small += c >= 'a' && c <= 'z' ? 1 : 0;
  }
  const bool has_sign = digits + letters < value.size();
  return digits > 0 && value.size() > 2 && is_ascii_alphanumeric(value[0]) &&
         (small == 0 || (has_sign && digits >= letters));
}

/// Matches yyyy-MM-dd and h:mm a: letters of a date, of which each stands by itself or is repeated.
bool is_date_format(std::string_view value) {
  if (!is_made_of(value, "GyMdEahHkKmsSzZT -/.:,'")) return false;
  std::size_t longest = 0, length = 0;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const bool is_repeated = i > 0 && value[i] == value[i - 1];
    if (i > 0 && !is_repeated && is_ascii_letter(value[i]) && is_ascii_letter(value[i - 1])) return false;
    length = is_ascii_letter(value[i]) ? (is_repeated ? length + 1 : 1) : 0;
    longest = std::max(longest, length);
  }
  return longest > 1 && longest < 6;
}

/// Returns whether a value without white space is made for programs.
bool is_code(std::string_view value) {
  constexpr std::size_t kMaxWord = 60;
  if (value.size() > kMaxWord && std::ranges::all_of(value, [](char c) { return c > ' ' && c <= '~'; })) return true;
  const bool is_date = value.size() >= 7 && is_made_of(value.substr(0, 4), kDigits) && value[4] == '-' &&
                       is_made_of(value, "0123456789-:.+TZ");
  return is_date || value == "true" || value == "false" || is_color(value) || is_path(value) || is_identifier(value) ||
         is_number_of_part(value);
}

}  // namespace

bool is_translatable_value(std::string_view value) {
  constexpr std::size_t kMaxChecked = 10'000;  // longer values are text or data without white space
  if (!has_letter(value)) return false;
  const auto begin = value.find_first_not_of(kAsciiSpace), end = value.find_last_not_of(kAsciiSpace) + 1;
  const auto trimmed = value.substr(begin, end - begin);
  if (trimmed.find_first_of(kAsciiSpace) == trimmed.npos && is_code(trimmed)) return false;
  // "color: #fff"
  if (const auto hash = trimmed.rfind(": #"); hash != trimmed.npos && is_color(trimmed.substr(hash + 2))) return false;
  if (is_date_format(trimmed)) return false;
  return value.size() > kMaxChecked || has_letter(without_codes(value));
}

}  // namespace gloss
