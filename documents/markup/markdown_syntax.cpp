#include "documents/markup/markdown_syntax.h"

#include <algorithm>
#include <utility>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"
#include "documents/markup/html_elements.h"

namespace gloss {
namespace {

/// Elements that begin an HTML block (CommonMark, section 4.6, condition 6).
constexpr std::string_view kBlockElements =
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul";
/// Elements whose HTML block ends with their end tag.
constexpr std::string_view kRawElements = "pre script style textarea";

bool is_control(char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f'; }

/// Returns the offset after the next unescaped `end`; kNoMarkdown if there is none, or one of `excluded` comes first.
std::size_t after_unescaped(std::string_view text, std::size_t at, char end, std::string_view excluded) {
  for (; at < text.size(); ++at) {
    if (text[at] == end) return at + 1;
    if (excluded.find(text[at]) != excluded.npos) return kNoMarkdown;
    if (text[at] == '\\') ++at;
  }
  return kNoMarkdown;
}

std::size_t skip_any_of(std::string_view text, std::size_t at, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, at), text.size());
}

}  // namespace

bool is_ascii_punctuation(char c) { return c > ' ' && c < '\x7f' && !is_ascii_alphanumeric(c); }

std::size_t markdown_label_end(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxLabel = 999;
  if (at >= text.size() || text[at] != '[') return kNoMarkdown;
  const auto end = after_unescaped(text.substr(0, at + kMaxLabel + 2), at + 1, ']', "[");
  const bool is_blank = end != kNoMarkdown && skip_any_of(text, at + 1, kAsciiSpace) + 1 == end;
  return is_blank ? kNoMarkdown : end;
}

std::size_t markdown_destination_end(std::string_view text, std::size_t at) {
  constexpr int kMaxParentheses = 32;
  if (at < text.size() && text[at] == '<') return after_unescaped(text, at + 1, '>', "<\n");
  const auto begin = at;
  for (int depth = 0; at < text.size() && !is_control(text[at]); ++at) {
    if (text[at] == '(' && ++depth > kMaxParentheses) return kNoMarkdown;
    if (text[at] == ')' && --depth < 0) break;
    if (text[at] == '\\' && at + 1 < text.size() && is_ascii_punctuation(text[at + 1])) ++at;
  }
  return at > begin ? at : kNoMarkdown;
}

std::size_t markdown_title_end(std::string_view text, std::size_t at) {
  if (at >= text.size()) return kNoMarkdown;
  if (text[at] == '"' || text[at] == '\'') return after_unescaped(text, at + 1, text[at], "");
  return text[at] == '(' ? after_unescaped(text, at + 1, ')', "(") : kNoMarkdown;
}

std::size_t markdown_tag_end(std::string_view text, std::size_t at) {
  constexpr std::string_view kSpace = " \t\n";
  const auto is_name = [&](std::size_t i, std::string_view others) {
    return i < text.size() && (is_ascii_alphanumeric(text[i]) || others.find(text[i]) != others.npos);
  };
  const auto is_at = [&](std::size_t i, char c) { return i < text.size() && text[i] == c; };
  const bool is_closing = is_at(at + 1, '/');
  auto i = at + (is_closing ? 2 : 1);
  if (!is_name(i, "") || is_ascii_digit(text[i])) return kNoMarkdown;
  while (is_name(i, "-")) ++i;
  for (;;) {
    const auto space = i;
    i = skip_any_of(text, i, kSpace);
    if (is_closing || i == space || !is_name(i, "_:")) break;
    while (is_name(i, "_:.-")) ++i;
    const auto equals = skip_any_of(text, i, kSpace);
    if (!is_at(equals, '=')) continue;
    i = skip_any_of(text, equals + 1, kSpace);
    if (i >= text.size()) return kNoMarkdown;
    const auto value = i;
    if (text[i] == '"' || text[i] == '\'')
      i = std::min(text.find(text[i], i + 1), text.size() - 1) + 1;
    else
      i = std::min(text.find_first_of(" \t\n\"'=<>`", i), text.size());
    if (i == value) return kNoMarkdown;
  }
  if (!is_closing && is_at(i, '/')) ++i;
  return is_at(i, '>') ? i + 1 : kNoMarkdown;
}

std::size_t after_markdown_space(std::string_view text, std::size_t at) {
  at = skip_any_of(text, at, " \t");
  return at < text.size() && text[at] == '\n' ? skip_any_of(text, at + 1, " \t") : at;
}

std::string markdown_label(std::string_view label) {
  std::string result;
  for_each_character(label, [&](auto value, std::string_view spelling) {
    const bool is_space = kAsciiSpace.find(spelling) != kAsciiSpace.npos;
    if (!is_space && value) append_utf8(lower_case(*value), result);
    if (is_space && !result.empty() && !result.ends_with(' ')) result += ' ';
  });
  if (result.ends_with(' ')) result.pop_back();
  return result;
}

bool is_blank_text(std::string_view text) { return text.find_first_not_of(kAsciiSpace) == text.npos; }

std::vector<TextSpan> table_cells(std::string_view bytes, TextSpan line) {
  std::vector<TextSpan> cells;
  const auto add = [&](std::size_t begin, std::size_t end) {
    while (begin < end && kAsciiSpace.find(bytes[begin]) != kAsciiSpace.npos) ++begin;
    while (begin < end && kAsciiSpace.find(bytes[end - 1]) != kAsciiSpace.npos) --end;
    cells.push_back({begin, end});
  };
  auto begin = line.begin;
  for (auto i = line.begin; i < line.end; ++i) {
    if (bytes[i] == '\\') {
      ++i;
    } else if (bytes[i] == '|') {
      if (i > line.begin) add(begin, i);
      begin = i + 1;
    }
  }
  if (!is_blank_text(bytes.substr(begin, line.end - begin))) add(begin, line.end);
  return cells;
}

bool is_table_delimiter_row(std::string_view bytes, TextSpan line) {
  if (line.of(bytes).find_first_not_of("|-: \t") != std::string_view::npos) return false;
  const auto cells = table_cells(bytes, line);
  return !cells.empty() && std::ranges::all_of(cells, [&](TextSpan cell) {
    auto text = cell.of(bytes);
    if (text.starts_with(':')) text.remove_prefix(1);
    if (text.ends_with(':')) text.remove_suffix(1);
    return !text.empty() && text.find_first_not_of('-') == text.npos;
  });
}

std::optional<std::string> html_block_end(std::string_view line, bool in_paragraph) {
  constexpr std::pair<std::string_view, std::string_view> kEnds[] = {
      {"<!--", "-->"}, {"<?", "?>"}, {"<![cdata[", "]]>"}};
  for (const auto& [begin, end] : kEnds)
    if (line.starts_with(begin)) return std::string(end);
  if (!line.starts_with('<')) return std::nullopt;
  if (line.starts_with("<!") && line.size() > 2 && is_ascii_alphanumeric(line[2])) return ">";
  const auto name_begin = line.starts_with("</") ? std::size_t{2} : std::size_t{1};
  const auto name_end = std::min(line.find_first_of(" \t>/", name_begin), line.size());
  const auto name = line.substr(name_begin, name_end - name_begin);
  const bool is_raw = is_in_words(name, kRawElements);
  if (is_raw && name_begin == 1) return "</" + std::string(name) + ">";
  const auto after = line.substr(name_end);
  if (is_in_words(name, kBlockElements) && (!after.starts_with('/') || after.starts_with("/>"))) return "";
  const auto tag_end = in_paragraph || is_raw ? kNoMarkdown : markdown_tag_end(line, 0);
  return tag_end != kNoMarkdown && is_blank_text(line.substr(tag_end)) ? std::optional<std::string>("") : std::nullopt;
}

std::size_t link_definition_end(std::string_view text, std::size_t at) {
  const auto line_after = [&](std::size_t i) {
    const auto end = i == kNoMarkdown ? i : text.find('\n', i);
    return end == kNoMarkdown || !is_blank_text(text.substr(i, end - i)) ? kNoMarkdown : end + 1;
  };
  const auto label_end = markdown_label_end(text, at);
  if (label_end == kNoMarkdown || !text.substr(label_end).starts_with(':')) return kNoMarkdown;
  const auto destination_end = markdown_destination_end(text, after_markdown_space(text, label_end + 1));
  if (destination_end == kNoMarkdown) return kNoMarkdown;
  const auto title = after_markdown_space(text, destination_end);
  const auto end = title > destination_end ? line_after(markdown_title_end(text, title)) : kNoMarkdown;
  return end == kNoMarkdown ? line_after(destination_end) : end;
}

}  // namespace gloss
