#include "documents/formats/yaml_scalar.h"

#include <algorithm>
#include <array>

#include "common/text/format.h"
#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/visible_text.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

using Style = YamlScalar::Style;

/// Returns the offset of the first character after an anchor, a tag, white space and comments.
std::size_t content_begin(std::string_view bytes, std::size_t offset) {
  while (offset < bytes.size()) {
    const auto c = bytes[offset];
    if (c == '&' || c == '!')
      offset = std::min(bytes.find_first_of(kAsciiSpace, offset), bytes.size());
    else if (c == '#')
      offset = std::min(bytes.find_first_of("\r\n", offset), bytes.size());
    else if (kAsciiSpace.find(c) != kAsciiSpace.npos)
      ++offset;
    else
      break;
  }
  return offset;
}

/// Returns the end of a plain scalar: that of the value, in which white space stands for folded lines.
std::optional<std::size_t> end_of_plain(std::string_view bytes, std::size_t offset, std::string_view value) {
  const auto is_space = [](char c) { return kAsciiSpace.find(c) != kAsciiSpace.npos; };
  for (std::size_t i = 0; i < value.size();) {
    if (offset == bytes.size()) return std::nullopt;
    if (is_space(value[i]) && is_space(bytes[offset])) {
      while (i < value.size() && is_space(value[i])) ++i;
      while (offset < bytes.size() && is_space(bytes[offset])) ++offset;
    } else if (value[i++] != bytes[offset++]) {
      return std::nullopt;
    }
  }
  return offset;
}

std::optional<std::size_t> end_of_quoted(std::string_view bytes, std::size_t offset) {
  const auto quote = bytes[offset];
  for (++offset; offset < bytes.size(); ++offset) {
    if (quote == '"' && bytes[offset] == '\\') {
      ++offset;
    } else if (bytes[offset] == quote) {
      if (quote == '"' || !bytes.substr(offset + 1).starts_with('\'')) return offset + 1;
      ++offset;
    }
  }
  return std::nullopt;
}

std::string without_white_space(std::string_view text) {
  std::string result;
  std::ranges::copy_if(text, std::back_inserter(result),
                       [](char c) { return kAsciiSpace.find(c) == kAsciiSpace.npos; });
  return result;
}

/// Finds the lines of a block, which begins with | or >.
std::optional<YamlScalar> find_block(std::string_view bytes, std::size_t offset, std::string_view value) {
  YamlScalar block{.style = bytes[offset] == '|' ? Style::kLiteral : Style::kFolded, .range = {}, .text = {}};
  const auto header = bytes.substr(offset + 1, 2);
  if (header.find_first_of("123456789") < std::min(header.find_first_not_of("+-123456789"), header.size())) return {};
  const auto begin = value.find_first_not_of('\n');
  if (begin == value.npos) return {};
  block.text = value.substr(begin, value.find_last_not_of('\n') + 1 - begin);
  for (auto line = bytes.find('\n', offset); line != bytes.npos; line = bytes.find('\n', line)) {
    const auto text = std::min(bytes.find_first_not_of(' ', ++line), bytes.size());
    const auto end = std::min(bytes.find_first_of("\r\n", text), bytes.size());
    if (text == end) continue;
    if (block.range.empty()) block.range.begin = text, block.indent = text - line;
    if (text - line < block.indent) break;
    block.range.end = end;
  }
  const bool is_folded = block.style == Style::kFolded;
  const bool has_indented = block.text.find("\n ") != block.text.npos || block.text.find("\n\t") != block.text.npos;
  const bool is_found = without_white_space(block.range.of(bytes)) == without_white_space(block.text);
  if (block.indent == 0 || !is_found || (is_folded && has_indented)) return {};
  return block;
}

std::string double_quoted(std::string_view text) {
  std::string quoted = "\"";
  for_each_character(text, [&](auto value, std::string_view spelling) {
    const auto c = value.value_or(U'\ufffd');
    if (c == '\n')
      quoted += "\\n";
    else if (c == '"' || c == '\\')
      quoted.append("\\").append(spelling);
    else if (c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff)
      quoted += formatted("\\u%04x", static_cast<unsigned>(c));
    else
      quoted += spelling;
  });
  return quoted + '"';
}

bool has_control(std::string_view text) {
  bool found = false;
  for_each_character(text, [&](auto value, auto) {
    const auto c = value.value_or(U'\0');
    found = found || c < 0x20 || (c >= 0x7f && c < 0xa0) || is_line_separator(c) || c == 0xfeff;
  });
  return found;
}

/// Returns whether a text without quotes is read as this text, by YAML 1.1 and 1.2.
bool can_be_plain(std::string_view text, bool in_brackets) {
  if (text.empty() || !is_letter(*decode_utf8(text, 0).value) || has_control(text) || is_yaml_constant(text))
    return false;
  if (text.ends_with(' ') || text.ends_with(':') || (in_brackets && text.find_first_of(",[]{}:") != text.npos))
    return false;
  return text.find(": ") == text.npos && text.find(" #") == text.npos;
}

std::string spelled_block(const YamlScalar& block, std::string_view text, std::string_view line_end) {
  const auto begin = std::min(text.find_first_not_of(" \t\n"), text.size());
  std::string result;
  std::size_t line_ends = 0;
  for (const auto line : split_text(text.substr(begin), '\n')) {
    if (!line.empty()) {
      if (line_ends > 0 && block.style == Style::kFolded) ++line_ends;
      for (; line_ends > 0; --line_ends) result += line_end;
      if (!result.empty()) result.append(block.indent, ' ');
      result += block.style == Style::kFolded && !result.empty()
                    ? on_one_line(line.substr(std::min(line.find_first_not_of(" \t"), line.size())))
                    : on_one_line(line);
    }
    ++line_ends;
  }
  return result;
}

}  // namespace

bool is_yaml_constant(std::string_view text) {
  constexpr auto kWords = std::to_array<std::string_view>(
      {"null", "true", "false", "yes", "no", "on", "off", "y", "n", ".inf", "+.inf", "-.inf", ".nan"});
  constexpr std::string_view kNumberCharacters = "0123456789abcdefABCDEFxo_.+-:";
  if (std::ranges::find(kWords, lower_ascii(text)) != kWords.end()) return true;
  const auto digit = text.find_first_not_of("+-.");
  return digit != text.npos && text[digit] >= '0' && text[digit] <= '9' &&
         text.find_first_not_of(kNumberCharacters) == text.npos;
}

std::optional<YamlScalar> find_yaml_scalar(std::string_view bytes, std::size_t offset, std::string_view value,
                                           bool in_brackets) {
  offset = content_begin(bytes, offset);
  if (offset == bytes.size()) return {};
  const auto first = bytes[offset];
  if (first == '|' || first == '>') return find_block(bytes, offset, value);
  const bool is_quoted = first == '"' || first == '\'';
  const auto end = is_quoted ? end_of_quoted(bytes, offset) : end_of_plain(bytes, offset, value);
  if (!end) return {};
  return YamlScalar{.style = first == '"'    ? Style::kDoubleQuoted
                             : first == '\'' ? Style::kSingleQuoted
                                             : Style::kPlain,
                    .range = {offset, *end},
                    .text = std::string(value),
                    .in_brackets = in_brackets};
}

std::string spelled_yaml(const YamlScalar& scalar, std::string_view text, std::string_view line_end) {
  switch (scalar.style) {
    case Style::kLiteral:
    case Style::kFolded:
      return spelled_block(scalar, text, line_end);
    case Style::kPlain:
      if (can_be_plain(text, scalar.in_brackets)) return std::string(text);
      break;
    case Style::kSingleQuoted: {
      if (has_control(text)) break;
      std::string quoted = "'";
      for (const auto c : text) quoted.append(c == '\'' ? 2 : 1, c);
      return quoted + '\'';
    }
    default:
      break;
  }
  return double_quoted(text);
}

}  // namespace gloss
