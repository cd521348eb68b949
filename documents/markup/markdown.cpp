#include "documents/markup/markdown.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/word_boundary.h"
#include "documents/markup/html_entities.h"
#include "documents/markup/markdown_blocks.h"
#include "documents/markup/markdown_inline.h"
#include "documents/markup/markdown_syntax.h"

namespace gloss {
namespace {

/// A unit, its place, and how it is written.
struct MarkdownUnit {
  PlacedText placed;
  MarkdownText::Kind kind = MarkdownText::Kind::kParagraph;
  std::vector<std::string> line_ends;  ///< with the markers of lists and quotes after them
  std::size_t text = 0;                ///< index of its text
};

std::vector<std::string> line_ends_within(std::string_view bytes, const MarkdownText& text, TextSpan range) {
  std::vector<std::string> line_ends;
  auto line = std::ranges::lower_bound(text.lines, range.begin, {}, &TextSpan::end);
  for (; line < text.lines.end() - 1 && (line + 1)->begin <= range.end; ++line)
    line_ends.emplace_back(bytes.substr(line->end, (line + 1)->begin - line->end));
  return line_ends;
}

/// Writes text so that no character of it is markup.
class MarkdownWriter {
 public:
  explicit MarkdownWriter(const MarkdownUnit& unit)
      : unit_(unit), at_line_start_(unit.kind == MarkdownText::Kind::kParagraph) {}

  Replacement write(const InlineText& target);

 private:
  void add_text(std::string_view text, bool is_last);
  bool needs_backslash(std::string_view text, std::size_t at, bool is_last) const;

  const MarkdownUnit& unit_;
  bool at_line_start_;       ///< nothing but digits was written in this line
  bool has_digits_ = false;  ///< at the start of the line
  char previous_ = '\n';
  std::size_t lines_ = 0;  ///< that ended
  std::string written_;
};

Replacement MarkdownWriter::write(const InlineText& target) {
  Replacement replacement{unit_.placed.range, {}};
  std::size_t begin = 0;
  const auto add_text_to = [&](std::size_t end, bool is_last) {
    add_text(std::string_view(target.text).substr(begin, end - begin), is_last);
    if (!written_.empty()) replacement.parts.emplace_back(std::exchange(written_, {}));
    begin = end;
  };
  for (const auto& element : target.elements) {
    add_text_to(element.offset, /*is_last=*/false);
    if (element.source.empty()) {
      add_text(element.text, /*is_last=*/false);
      replacement.parts.emplace_back(std::exchange(written_, {}));
    } else {
      replacement.parts.emplace_back(element.source);
      previous_ = element.kind == InlineElement::Kind::kMark ? ']' : ')';  // ] of a footnote
      at_line_start_ = false;
    }
  }
  add_text_to(target.text.size(), /*is_last=*/true);
  return replacement;
}

void MarkdownWriter::add_text(std::string_view text, bool is_last) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      written_.erase(written_.find_last_not_of(' ') + 1);
      written_ += unit_.line_ends.empty() ? " " : unit_.line_ends[std::min(lines_++, unit_.line_ends.size() - 1)];
      at_line_start_ = true;
      has_digits_ = false;
    } else if (c == '&' && reference_at(text, i, /*in_attribute=*/false).bytes > 0) {
      written_ += "&amp;";
    } else if (c == '`') {
      written_ += "&#96;";  // a backslash would not keep it from ending code that begins before this unit
    } else {
      if (needs_backslash(text, i, is_last)) written_ += '\\';
      written_ += c;
    }
    previous_ = c;
    if (c == '\n') continue;
    has_digits_ = at_line_start_ && is_ascii_digit(static_cast<unsigned char>(c));
    at_line_start_ = has_digits_;
  }
}

bool MarkdownWriter::needs_backslash(std::string_view text, std::size_t at, bool is_last) const {
  const auto is_wordlike = [](char c) { return is_ascii_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80; };
  const auto is_any_of = [](char c, std::string_view characters) { return characters.find(c) != characters.npos; };
  const char c = text[at];
  const bool ends = at + 1 == text.size();
  const char next = !ends ? text[at + 1] : is_last ? ' ' : '<';
  if (is_any_of(c, "\\[]<~")) return true;
  if (c == '*') return at_line_start_ || previous_ != ' ' || next != ' ';
  if (c == '_') return !is_wordlike(previous_) || !is_wordlike(next);
  if (c == '|') return unit_.kind == MarkdownText::Kind::kCell;
  if (c == '!') return ends && !is_last;
  if (c == ':') return previous_ == ']';  // no definition
  if (c == '#') return at_line_start_ || (is_any_of(previous_, " \n#") && is_any_of(next, " #"));
  if (is_any_of(c, "+-=>|")) return at_line_start_ && !has_digits_;
  return is_any_of(c, ".)") && has_digits_;
}

std::vector<Replacement> rendered_markdown(const std::vector<MarkdownUnit>& units,
                                           const std::vector<std::vector<Replacement>>& labels,
                                           std::span<const UnitTranslation> translations) {
  std::vector<Replacement> replacements;
  std::vector<bool> is_changed(labels.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    if (is_unchanged(units[i].placed.source, translations[i].target)) continue;
    replacements.push_back(MarkdownWriter(units[i]).write(translations[i].target));
    is_changed[units[i].text] = true;
  }
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (is_changed[i]) replacements.insert(replacements.end(), labels[i].begin(), labels[i].end());
  return replacements;
}

class MarkdownReader final : public PassageReader {
 public:
  explicit MarkdownReader(DocumentInput input) : input_(std::move(input)) {}

  std::optional<Passage> next() override {
    Passage passage;
    passage.bytes = input_.rest(kMaxTreeBytes);
    if (passage.bytes.empty()) return std::nullopt;
    const auto blocks = find_markdown_texts(passage.bytes);
    std::vector<MarkdownUnit> units;
    std::vector<std::vector<Replacement>> labels;  // of each text
    for (const auto& text : blocks.texts) {
      auto found = markdown_units(passage.bytes, text, blocks.labels);
      for (auto& unit : found.units) {
        auto line_ends = line_ends_within(passage.bytes, text, unit.range);
        units.push_back({std::move(unit), text.kind, std::move(line_ends), labels.size()});
      }
      labels.push_back(std::move(found.labels));
    }
    std::ranges::stable_sort(units, {}, [](const MarkdownUnit& unit) { return unit.placed.range.begin; });
    LineNames names(passage.bytes);
    for (const auto& unit : units)
      passage.units.push_back({names.of(unit.placed.range.begin), unit.placed.source, SentenceMode::kWrapped, true});
    passage.render = [units = std::move(units), labels = std::move(labels)](auto translations) {
      return rendered_markdown(units, labels, translations);
    };
    return passage;
  }

 private:
  DocumentInput input_;
};

}  // namespace

std::unique_ptr<PassageReader> read_markdown(DocumentInput input, const DocumentOptions& /*options*/) {
  return std::make_unique<MarkdownReader>(std::move(input));
}

}  // namespace gloss
