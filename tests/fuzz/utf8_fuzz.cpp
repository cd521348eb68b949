// UTF-8: characters are those of the definition (Unicode, section 3.9), and what reads characters keeps its promises.

#include <optional>

#include "common/text/letter_case.h"
#include "common/text/printable.h"
#include "common/text/terminal_text.h"
#include "common/text/visible_text.h"
#include "tests/fuzz/fuzz_input.h"

namespace gloss {
namespace {

/// Returns the character that the whole text spells, by the patterns of RFC 3629.
std::optional<char32_t> spelled_character(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.size() == 1) return byte(0) < 0x80 ? std::optional<char32_t>(byte(0)) : std::nullopt;
  const unsigned marks = 0xF00 >> text.size() & 0xFF;  // as many ones as there are bytes
  if ((byte(0) & (marks | 0x80 >> text.size())) != marks) return std::nullopt;
  char32_t value = byte(0) & ~marks;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t kMin[] = {0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < kMin[text.size() - 2] || is_surrogate || value > 0x10FFFF ? std::nullopt : std::optional(value);
}

/// Returns whether a character begins with these bytes.
bool begins_character(std::string_view bytes) {
  for (const char filler : {'\x80', '\xBF'})
    for (auto text = std::string(bytes); text.size() <= 4; text += filler)
      if (spelled_character(text)) return true;
  return false;
}

void check_character(std::optional<char32_t> value, std::string_view spelling, std::string_view rest) {
  expect(value == spelled_character(spelling));
  if (!value) {
    expect(spelling.size() == 1 || begins_character(spelling));
    expect(spelling.size() == rest.size() || !begins_character(rest.substr(0, spelling.size() + 1)));
    return;
  }
  std::string written;
  append_utf8(*value, written);
  expect(written == spelling && last_character(spelling) == 0);
  std::string lower;
  append_utf8(lower_case(*value), lower);
  expect(lower.size() == spelling.size());
  expect(lower_case(*value) == *value || upper_case(lower_case(*value)) == *value);
}

void check_columns(const std::string& text, std::size_t columns) {
  expect(columns_of(first_columns(text, columns)) <= columns && text.starts_with(first_columns(text, columns)));
  expect(columns_of(shortened(text, columns)) <= std::max(columns, std::min(columns, columns_of(text))));
  auto lines = wrapped(text, columns);
  std::erase(lines, ' ');
  std::erase(lines, '\n');
  auto letters = text;
  std::erase(letters, ' ');
  std::erase(letters, '\n');
  expect(lines == letters);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = input_text(data, size);
  std::optional<std::size_t> first_invalid;
  std::size_t characters = 0;
  for_each_character(text, [&](std::optional<char32_t> value, std::string_view spelling) {
    const auto place = static_cast<std::size_t>(spelling.data() - text.data());
    check_character(value, spelling, text.substr(place));
    if (!value && !first_invalid) first_invalid = place;
    ++characters;
  });
  expect(first_invalid_utf8(text) == first_invalid);
  const auto repaired = repair_utf8(text);
  expect(is_text(repaired) && repair_utf8(repaired) == repaired && count_code_points(repaired) == characters);
  expect(is_text(text) == (repaired == text));
  const auto shown = printable(text);
  expect(is_text(shown) && !has_control(shown) && printable(shown, shown.size()) == shown);
  expect(on_one_line(on_one_line(repaired)) == on_one_line(repaired));
  expect(is_text(visible_text(repaired)) && content_of(repaired) <= TextContent::kWords);
  check_columns(repaired, size % 100);
  const auto trimmed = without_outer_space(repaired, {0, repaired.size()});
  expect(trimmed.begin <= trimmed.end && is_text(trimmed.of(repaired)));
  return 0;
}

}  // namespace gloss
