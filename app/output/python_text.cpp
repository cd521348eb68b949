#include "app/output/python_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "common/text/format.h"
#include "common/text/utf8.h"

namespace gloss {
namespace {

/// The powers of ten between which repr() writes no exponent: from the first to before the second.
constexpr int kMinPlainExponent = -4;
constexpr int kFirstLargeExponent = 16;

std::string unicode_escape(std::uint32_t unit) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "\\u";
  for (const int shift : {12, 8, 4, 0}) text += kDigits[(unit >> shift) & 0xf];
  return text;
}

std::string ascii_escape(char32_t code_point) {
  if (code_point < 0x10000) return unicode_escape(code_point);
  const auto rest = static_cast<std::uint32_t>(code_point) - 0x10000;
  return unicode_escape(0xd800 + (rest >> 10)) + unicode_escape(0xdc00 + (rest & 0x3ff));
}

std::string escaped(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    case '\b':
      return "\\b";
    case '\f':
      return "\\f";
    default:
      return unicode_escape(static_cast<unsigned char>(c));
  }
}

bool needs_escape(char32_t code_point) { return code_point < 0x20 || code_point == '"' || code_point == '\\'; }

}  // namespace

std::string fixed(double value, int digits) {
  if (std::isnan(value)) return "nan";
  return formatted("%.*f", digits, value);
}

std::string python_number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::array<char, 400> buffer{};
  const auto scientific =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::scientific);
  const std::string with_exponent(buffer.data(), scientific.ptr);
  const int exponent = std::atoi(with_exponent.c_str() + with_exponent.find('e') + 1);
  if (value != 0 && (exponent < kMinPlainExponent || exponent >= kFirstLargeExponent)) return with_exponent;
  const auto plain = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed);
  const std::string text(buffer.data(), plain.ptr);
  return text.find('.') == text.npos ? text + ".0" : text;
}

std::string python_json_string(std::string_view text, bool ascii) {
  std::string result = "\"";
  for (std::size_t at = 0; at < text.size();) {
    const auto [value, bytes] = decode_utf8(text, at);
    const auto code_point = value.value_or(U'\ufffd');
    if (needs_escape(code_point)) {
      result += escaped(text[at]);
    } else if (ascii && code_point >= 0x7f) {
      result += ascii_escape(code_point);
    } else {
      result += text.substr(at, bytes);
    }
    at += bytes;
  }
  return result + '"';
}

}  // namespace gloss
