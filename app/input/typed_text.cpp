#include "app/input/typed_text.h"

#include "common/text/utf8.h"

namespace gloss {
namespace {

constexpr char kEscape = '\x1b', kBell = '\a';
constexpr std::string_view kEndsOfTyping = "\n\r\x03\x04";

bool is_byte_between(char c, char first, char last) { return c >= first && c <= last; }

/// Returns a sequence of "ESC [", parameters and intermediate bytes, and one final byte.
ControlSequence csi_sequence(std::string_view text) {
  std::size_t i = 2;
  while (i < text.size() && is_byte_between(text[i], ' ', '?')) ++i;
  if (i == text.size()) return {i, false};
  return {is_byte_between(text[i], '@', '~') ? i + 1 : i, true};  // any other byte ends it early
}

/// Returns a sequence that begins with "ESC ]" or a similar pair and ends with BEL or "ESC \". If a line end, Ctrl-C or
/// Ctrl-D comes first, the sequence is the first two bytes only: a person pressed Alt-].
ControlSequence command_string(std::string_view text) {
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] == kBell) return {i + 1, true};
    if (kEndsOfTyping.find(text[i]) != kEndsOfTyping.npos) return {2, true};
    if (text[i] == kEscape && i + 1 < text.size()) return {text[i + 1] == '\\' ? i + 2 : i, true};
  }
  return {text.size(), false};
}

}  // namespace

ControlSequence control_sequence(std::string_view text) {
  if (!text.starts_with(kEscape)) return {0, true};
  if (text.size() == 1) return {1, false};
  switch (text[1]) {
    case '[':
      return csi_sequence(text);
    case 'O':  // keys in the application mode
      return text.size() > 2 ? ControlSequence{3, true} : ControlSequence{2, false};
    case ']':
    case 'P':
    case '^':
    case '_':
      return command_string(text);
    default:
      return {is_byte_between(text[1], ' ', '~') ? std::size_t{2} : std::size_t{1}, true};
  }
}

std::string without_controls(std::string_view typed) {
  std::string text;
  for (std::size_t i = 0; i < typed.size();) {
    if (const auto sequence = control_sequence(typed.substr(i)); sequence.bytes > 0) {
      i += sequence.bytes;
      continue;
    }
    const auto point = decode_utf8(typed, i);
    const auto c = point.value.value_or(U'\ufffd');
    if (c == U'\t')
      text += ' ';
    else if (c >= 0x20 && !(c >= 0x7f && c < 0xa0))
      text += typed.substr(i, point.bytes);
    i += point.bytes;
  }
  return text;
}

}  // namespace gloss
