#include "documents/model/utf16_escape.h"

#include <charconv>
#include <cstdint>

namespace gloss {
namespace {

constexpr std::size_t kEscapeBytes = 6;

std::optional<char32_t> escaped_unit(std::string_view text) {
  if (text.size() < kEscapeBytes || text[0] != '\\' || (text[1] != 'u' && text[1] != 'U')) return {};
  std::uint32_t value = 0;
  const auto* end = text.data() + kEscapeBytes;
  const auto [after, error] = std::from_chars(text.data() + 2, end, value, 16);
  return error == std::errc{} && after == end ? std::optional<char32_t>(value) : std::nullopt;
}

}  // namespace

std::optional<EscapedCharacter> read_utf16_escape(std::string_view text) {
  const auto unit = escaped_unit(text);
  if (!unit || *unit < 0xD800 || *unit >= 0xDC00)
    return unit ? std::optional(EscapedCharacter{*unit, kEscapeBytes}) : std::nullopt;
  const auto low = escaped_unit(text.substr(kEscapeBytes));
  if (!low || *low < 0xDC00 || *low >= 0xE000) return EscapedCharacter{*unit, kEscapeBytes};
  return EscapedCharacter{0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00), 2 * kEscapeBytes};
}

}  // namespace gloss
