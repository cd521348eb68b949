#include "documents/markup/markdown_blocks.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/word_boundary.h"
#include "documents/markup/markdown_syntax.h"
#include "documents/markup/markup_tokenizer.h"
#include "documents/model/passage.h"

namespace gloss {
namespace {

using TextKind = MarkdownText::Kind;
constexpr std::string_view kLineEnds = "\r\n", kBlanks = " \t";
constexpr std::size_t kCodeIndent = 4, kTabStop = 4;

/// Returns whether a line is a break between paragraphs, such as ***
bool is_thematic_break(std::string_view line) {
  return line.find_first_of("*-_") == 0 && std::ranges::count(line, line[0]) >= 3 &&
         line.find_first_not_of(std::string(1, line[0]) + " \t") == line.npos;
}

/// Returns whether a line is the mark of an alert: [!NOTE].
bool is_alert(std::string_view line) {
  const auto end = line.find_last_not_of(kBlanks);
  return line.starts_with("[!") && line.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2) == end && line[end] == ']';
}

class BlockFinder {
 public:
  explicit BlockFinder(std::string_view bytes) : bytes_(bytes) {}
  MarkdownBlocks find();

 private:
  /// A block quote, or an item of a list or a footnote, whose lines are indented.
  struct Container {
    bool is_quote = false;
    std::size_t indent = 0;
    bool is_empty = false;  ///< an item without content yet
  };
  enum class Leaf { kNone, kParagraph, kTable, kFence, kHtml };

  void skip_front_matter();
  void read_line();
  bool continues(const Container& container);
  bool continues_leaf();
  bool starts_container();
  bool starts_leaf(bool is_matched);
  bool starts_fence();
  bool starts_html();
  bool starts_table();
  void add_cells(TextSpan line);
  void end_paragraph();
  void close_unmatched();
  void begin_block();

  std::string_view rest() const { return bytes_.substr(at_, line_end_ - at_); }
  TextSpan content() const;
  std::size_t indent() const;
  void skip_columns(std::size_t columns);

  std::string_view bytes_;
  MarkdownBlocks blocks_;
  std::vector<Container> containers_;
  std::size_t matched_ = 0;  ///< containers that go on in this line
  Leaf leaf_ = Leaf::kNone;
  std::vector<TextSpan> paragraph_;
  std::string fence_;     ///< of the open code block
  std::string html_end_;  ///< of the open HTML block; empty: a blank line
  std::size_t next_line_ = 0, at_ = 0, line_end_ = 0;
  std::size_t column_ = 0, pending_ = 0;  ///< of at_; columns of the tab before it that were not used
};

MarkdownBlocks BlockFinder::find() {
  skip_front_matter();
  while (next_line_ < bytes_.size()) {
    at_ = next_line_;
    column_ = pending_ = 0;
    line_end_ = std::min(bytes_.find_first_of(kLineEnds, at_), bytes_.size());
    next_line_ = std::min(line_end_ + (bytes_.substr(line_end_).starts_with("\r\n") ? 2 : 1), bytes_.size());
    read_line();
  }
  end_paragraph();
  return std::move(blocks_);
}

void BlockFinder::skip_front_matter() {
  const auto fence = "\n" + std::string(bytes_.substr(0, 3));
  if (fence != "\n---" && fence != "\n+++") return;
  const auto is_fence_only = [&](std::size_t at) {
    return is_blank_text(bytes_.substr(at + 3, bytes_.find('\n', at) - at - 3));
  };
  auto end = is_fence_only(0) ? bytes_.find(fence) : bytes_.npos;
  while (end != bytes_.npos && !is_fence_only(end + 1)) end = bytes_.find(fence, end + 1);
  if (end != bytes_.npos) next_line_ = std::min(bytes_.find('\n', end + 1), bytes_.size() - 1) + 1;
}

/// Returns the columns of white space before the next character.
std::size_t BlockFinder::indent() const {
  auto column = column_;
  for (auto i = at_; i < line_end_ && kBlanks.find(bytes_[i]) != kBlanks.npos; ++i)
    column += bytes_[i] == '\t' ? kTabStop - column % kTabStop : 1;
  return column - column_ + pending_;
}

void BlockFinder::skip_columns(std::size_t columns) {
  const auto from_tab = std::min(pending_, columns);
  pending_ -= from_tab;
  for (columns -= from_tab; columns > 0 && at_ < line_end_; ++at_) {
    const auto width = bytes_[at_] == '\t' ? kTabStop - column_ % kTabStop : 1;
    column_ += width;
    pending_ = width > columns ? width - columns : 0;
    columns -= std::min(width, columns);
  }
}

/// Returns the rest of the line without white space before it.
TextSpan BlockFinder::content() const {
  const auto text = rest();
  return {at_ + std::min(text.find_first_not_of(kAsciiSpace), text.size()), line_end_};
}

void BlockFinder::read_line() {
  matched_ = 0;
  while (matched_ < containers_.size() && continues(containers_[matched_])) ++matched_;
  const bool is_matched = matched_ == containers_.size();
  if (!is_matched && leaf_ != Leaf::kParagraph) close_unmatched();
  if (continues_leaf()) return;
  while (starts_container()) {
  }
  const bool is_blank = is_blank_text(rest());
  if (!is_blank && matched_ > 0) containers_[matched_ - 1].is_empty = false;
  if (!is_blank && starts_leaf(is_matched)) return;
  if (is_blank) {
    begin_block();
  } else if (leaf_ == Leaf::kParagraph) {
    paragraph_.push_back(content());
  } else {
    close_unmatched();
    leaf_ = indent() >= kCodeIndent ? Leaf::kNone : Leaf::kParagraph;
    if (leaf_ == Leaf::kParagraph) paragraph_ = {content()};
  }
}

/// Closes what a new block ends.
void BlockFinder::begin_block() {
  close_unmatched();
  end_paragraph();
}

/// Closes the containers that do not go on in this line, and the block within them.
void BlockFinder::close_unmatched() {
  if (matched_ == containers_.size()) return;
  end_paragraph();
  containers_.resize(matched_);
}

bool BlockFinder::continues(const Container& container) {
  const bool is_blank = is_blank_text(rest());
  if (container.is_quote) {
    const auto line = content();
    if (indent() >= kCodeIndent || is_blank || bytes_[line.begin] != '>') return false;
    skip_columns(indent() + 1);
    if (indent() > 0) skip_columns(1);
    return true;
  }
  if (is_blank) return !container.is_empty;
  if (indent() < container.indent) return false;
  skip_columns(container.indent);
  return true;
}

/// Returns whether the line belongs to an open block of code or HTML.
bool BlockFinder::continues_leaf() {
  if (leaf_ != Leaf::kFence && leaf_ != Leaf::kHtml) return false;
  const auto line = content().of(bytes_);
  if (leaf_ == Leaf::kFence) {
    const auto length = std::min(line.find_first_not_of(fence_[0]), line.size());
    if (length >= fence_.size() && is_blank_text(line.substr(length)) && indent() < kCodeIndent) leaf_ = Leaf::kNone;
  } else if (html_end_.empty() ? line.empty() : lower_ascii(line).find(html_end_) != line.npos) {
    leaf_ = Leaf::kNone;
  }
  return true;
}

/// Reads the marker of a quote, a list item or a footnote.
bool BlockFinder::starts_container() {
  const auto line = content().of(bytes_);
  if (indent() >= kCodeIndent || line.empty() || containers_.size() >= kMaxDepth) return false;
  const bool in_paragraph = leaf_ == Leaf::kParagraph && matched_ == containers_.size();
  const auto start = [&](Container container, std::size_t columns) {
    begin_block();
    container.is_empty = !container.is_quote && is_blank_text(line.substr(columns));
    skip_columns(indent() + columns);
    containers_.push_back(container);
    matched_ = containers_.size();
    return true;
  };
  if (line[0] == '>') {
    start({true, 0, false}, 1);
    if (indent() > 0) skip_columns(1);
    return true;
  }
  const auto label_end = line.starts_with("[^") ? markdown_label_end(line, 0) : kNoMarkdown;
  if (label_end != kNoMarkdown && line.substr(label_end).starts_with(':'))
    return start({false, 4, false}, label_end + 1);

  auto width = std::min(line.find_first_not_of("0123456789"), line.size());  // of the marker
  const bool is_bullet = std::string_view("-+*").find(line[0]) != std::string_view::npos;
  const bool is_number =
      width > 0 && width < 10 && (line.substr(width).starts_with('.') || line.substr(width).starts_with(')'));
  if (!is_bullet && !is_number) return false;
  ++width;
  const auto after = line.substr(width);
  if (is_thematic_break(line) || (!after.empty() && kBlanks.find(after[0]) == kBlanks.npos)) return false;
  if (in_paragraph && (is_blank_text(after) || (is_number && line.substr(0, width - 1) != "1"))) return false;
  const auto before = indent();
  start({false, before + width + 1, false}, width);
  auto& item = containers_.back();
  if (const auto spaces = indent(); !item.is_empty && spaces <= kCodeIndent) item.indent += spaces - 1;
  skip_columns(item.is_empty ? indent() : item.indent - before - width);
  for (const auto* box : {"[ ] ", "[x] ", "[X] "})
    if (rest().starts_with(box)) skip_columns(4);  // of a task
  return true;
}

/// Reads a heading, a break, the first line of code or HTML, or a line of a table.
bool BlockFinder::starts_leaf(bool was_matched) {
  const auto span = content();
  const auto line = span.of(bytes_);
  const bool in_paragraph = leaf_ == Leaf::kParagraph && matched_ == containers_.size() && was_matched;
  if (indent() >= kCodeIndent) return false;
  const auto is_run_of = [&](char c) {
    return line.find_last_not_of(kBlanks) + 1 == std::min(line.find_first_not_of(c), line.size());
  };
  if (in_paragraph && (is_run_of('=') || is_run_of('-'))) {
    end_paragraph();
    return true;
  }
  if (in_paragraph && starts_table()) return true;
  if (matched_ > 0 && containers_[matched_ - 1].is_quote && is_alert(line)) {
    begin_block();
    return true;
  }
  const auto level = std::min(line.find_first_not_of('#'), line.size());
  const bool is_heading =
      level > 0 && level <= 6 && (level == line.size() || kBlanks.find(line[level]) != kBlanks.npos);
  if (is_heading || is_thematic_break(line)) {
    begin_block();
    if (!is_heading) return true;
    auto text = line.substr(0, line.find_last_not_of(kBlanks) + 1);
    const auto before_hashes = text.find_last_not_of('#') + 1;
    if (before_hashes == 0 || kBlanks.find(text[before_hashes - 1]) != kBlanks.npos)
      text = text.substr(0, before_hashes);
    if (text.size() > level)
      blocks_.texts.push_back({TextKind::kHeading, {{span.begin + level, span.begin + text.size()}}});
    return true;
  }
  if (starts_fence() || starts_html()) return true;
  if (leaf_ == Leaf::kTable) add_cells(span);
  return leaf_ == Leaf::kTable;
}

bool BlockFinder::starts_fence() {
  const auto line = content().of(bytes_);
  const auto length = std::min(line.find_first_not_of(line[0]), line.size());
  const bool is_math = length == 2 && line[0] == '$' && is_blank_text(line.substr(length));
  if (line[0] != '`' && line[0] != '~' && !is_math) return false;
  if ((length < 3 && !is_math) || (line[0] == '`' && line.find('`', length) != line.npos)) return false;
  begin_block();
  fence_ = line.substr(0, length);
  leaf_ = Leaf::kFence;
  return true;
}

bool BlockFinder::starts_html() {
  const auto line = lower_ascii(content().of(bytes_));
  const auto end = html_block_end(line, /*in_paragraph=*/leaf_ == Leaf::kParagraph);
  if (!end) return false;
  begin_block();
  html_end_ = *end;
  const auto after = html_end_ == "-->" ? std::size_t{4} : std::size_t{2};
  leaf_ = !html_end_.empty() && line.find(html_end_, after) != line.npos ? Leaf::kNone : Leaf::kHtml;
  return true;
}

/// Begins a table if this line is a delimiter row for the last line of the paragraph.
bool BlockFinder::starts_table() {
  const auto header = paragraph_.back(), row = content();
  if (!is_table_delimiter_row(bytes_, row) || header.of(bytes_).find('|') == std::string_view::npos) return false;
  if (table_cells(bytes_, header).size() != table_cells(bytes_, row).size()) return false;
  paragraph_.pop_back();
  end_paragraph();
  add_cells(header);
  leaf_ = Leaf::kTable;
  return true;
}

void BlockFinder::add_cells(TextSpan line) {
  for (const auto cell : table_cells(bytes_, line))
    if (!cell.empty()) blocks_.texts.push_back({TextKind::kCell, {cell}});
}

/// Ends a paragraph. The link definitions that it begins with are stored.
void BlockFinder::end_paragraph() {
  leaf_ = Leaf::kNone;
  std::string text;
  std::vector<std::size_t> ends;  // of the lines
  for (const auto& line : paragraph_) {
    text += line.of(bytes_);
    text += '\n';
    ends.push_back(text.size());
  }
  std::size_t defined = 0;
  for (auto end = defined; (end = link_definition_end(text, defined)) != kNoMarkdown; defined = end) {
    const auto label = std::string_view(text).substr(defined, markdown_label_end(text, defined) - defined);
    blocks_.labels.insert(markdown_label(label.substr(1, label.size() - 2)));
  }
  const auto first = std::ranges::upper_bound(ends, defined) - ends.begin();
  paragraph_.erase(paragraph_.begin(), paragraph_.begin() + first);
  if (!paragraph_.empty()) blocks_.texts.push_back({TextKind::kParagraph, std::exchange(paragraph_, {})});
}

}  // namespace

MarkdownBlocks find_markdown_texts(std::string_view bytes) { return BlockFinder(bytes).find(); }

}  // namespace gloss
