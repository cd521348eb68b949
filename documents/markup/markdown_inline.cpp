#include "documents/markup/markdown_inline.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "common/text/letter_case.h"
#include "common/text/split.h"
#include "common/text/word_boundary.h"
#include "documents/markup/html_elements.h"
#include "documents/markup/html_entities.h"
#include "documents/markup/markdown_emphasis.h"
#include "documents/markup/markdown_syntax.h"
#include "documents/markup/markup_tokenizer.h"
#include "documents/model/placeholders.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

/// A piece of a text: characters, an element, or a hard line break.
struct Item {
  enum class Type { kText, kElement, kPicture, kBreak };
  Type type = Type::kText;
  TextSpan span;            ///< of the joined lines
  std::string text;         ///< decoded; of kText
  Kind kind = Kind::kMark;  ///< of kElement
  std::string name;         ///< pairs have the same
};

struct Bracket {
  std::size_t item = 0;
  std::size_t run = MarkdownEmphasis::kNone;  ///< the last run of delimiters before it
  bool is_image = false;
};

class InlineParser {
 public:
  InlineParser(std::string_view bytes, const MarkdownText& text, const std::unordered_set<std::string>& labels);
  MarkdownUnits parse();

 private:
  std::size_t read(std::size_t at);
  void end_plain(std::size_t at);
  std::size_t read_line_end(std::size_t at);
  std::size_t read_code(std::size_t at);
  std::size_t read_math(std::size_t at);
  std::size_t read_angle(std::size_t at);
  std::size_t html_end(std::size_t at);
  std::size_t end_of(const std::string& mark, std::size_t at);
  std::size_t read_delimiters(std::size_t at);
  std::size_t close_bracket(std::size_t at);
  std::size_t link_end(std::size_t at) const;
  void end_emphasis(std::size_t bottom);
  void emit(std::size_t first_item);
  std::size_t add_item(Item item, std::size_t next);
  std::size_t add_element(Kind kind, TextSpan span, std::string name = {});
  bool starts_with(std::size_t at, std::string_view start) const {
    return std::string_view(text_).substr(at).starts_with(start);
  }
  std::size_t source(std::size_t at) const;

  const std::unordered_set<std::string>& labels_;
  std::string text_;                                           ///< the lines, joined by LF
  std::vector<std::pair<std::size_t, std::size_t>> lines_;     ///< their beginnings, here and in the document
  std::map<std::size_t, std::vector<std::size_t>> backticks_;  ///< places of runs by their lengths
  std::set<std::string> missing_;                              ///< ends of HTML and math that do not come any more
  std::vector<Item> items_;
  MarkdownEmphasis emphasis_;
  std::vector<Bracket> brackets_;
  std::size_t inactive_ = 0;  ///< number of brackets around a link; no link begins there
  std::size_t plain_ = 0;     ///< where text without markup began
  std::size_t pairs_ = 0;
  MarkdownUnits result_;
};

InlineParser::InlineParser(std::string_view bytes, const MarkdownText& text,
                           const std::unordered_set<std::string>& labels)
    : labels_(labels) {
  for (const auto& line : text.lines) {
    if (!text_.empty()) text_ += '\n';
    lines_.emplace_back(text_.size(), line.begin);
    text_ += line.of(bytes);
  }
  text_.resize(text_.find_last_not_of(kAsciiSpace) + 1);
  for (auto at = text_.find('`'); at != text_.npos; at = text_.find('`', at)) {
    const auto end = std::min(text_.find_first_not_of('`', at), text_.size());
    backticks_[end - at].push_back(at);
    at = end;
  }
}

MarkdownUnits InlineParser::parse() {
  for (std::size_t at = 0; at < text_.size();) at = read(at);
  end_plain(text_.size());
  end_emphasis(MarkdownEmphasis::kNone);
  emit(0);
  return std::move(result_);
}

/// Returns the offset in the document.
std::size_t InlineParser::source(std::size_t at) const {
  const auto next = std::ranges::upper_bound(lines_, at, {}, [](const auto& line) { return line.first; });
  const auto& [begin, its_source] = *std::prev(next);
  return its_source + at - begin;
}

std::size_t InlineParser::add_item(Item item, std::size_t next) {
  end_plain(item.span.begin);
  items_.push_back(std::move(item));
  return plain_ = next;
}

std::size_t InlineParser::add_element(Kind kind, TextSpan span, std::string name) {
  return add_item({Item::Type::kElement, span, {}, kind, std::move(name)}, span.end);
}

void InlineParser::end_plain(std::size_t at) {
  if (plain_ < at) items_.push_back({Item::Type::kText, {plain_, at}, text_.substr(plain_, at - plain_), {}, {}});
  plain_ = at;
}

/// Reads the next character with its markup and returns the offset after it.
std::size_t InlineParser::read(std::size_t at) {
  const char c = text_[at];
  const char next = at + 1 < text_.size() ? text_[at + 1] : '\0';
  if (c == '\n' || (c == '\\' && next == '\n')) return read_line_end(at);
  if (c == '\\' && is_ascii_punctuation(next))
    return add_item({Item::Type::kText, {at, at + 2}, std::string(1, next), {}, {}}, at + 2);
  if (c == '`') return read_code(at);
  if (c == '$') return read_math(at);
  if (c == '<') return read_angle(at);
  if (c == '*' || c == '_' || c == '~') return read_delimiters(at);
  if (c == ']') return close_bracket(at);
  if (c == '[' || (c == '!' && next == '[')) {
    const auto end = at + (c == '[' ? 1 : 2);
    add_item({Item::Type::kText, {at, end}, text_.substr(at, end - at), {}, {}}, end);
    brackets_.push_back({items_.size() - 1, emphasis_.last(), c == '!'});
    return end;
  }
  if (c == '&') {
    const auto reference = reference_at(text_, at, /*in_attribute=*/false);
    const auto end = at + reference.bytes;
    constexpr std::size_t kMaxNumber = 10;  // bytes of &#1234567;
    const bool is_long = next == '#' && reference.bytes > kMaxNumber;
    if (reference.bytes == 0 || text_[end - 1] != ';' || is_long) return at + 1;
    if (is_blank_text(reference.text)) return add_element(Kind::kWord, {at, end});  // or an unknown name
    return add_item({Item::Type::kText, {at, end}, reference.text, {}, {}}, end);
  }
  const bool is_url = starts_with(at, "http://") || starts_with(at, "https://") || starts_with(at, "www.");
  if (!is_url || last_kind(std::string_view(text_).substr(0, at)) == CharacterKind::kWord) return at + 1;
  auto end = std::min(text_.find_first_of(" \t\n<>\"`|[]*\\", at), text_.size());
  while (text_[end - 1] == '~') --end;
  const auto found = find_placeholders(std::string_view(text_).substr(at, end - at));
  return found.empty() || found[0].span.begin > 0 ? at + 1 : add_element(Kind::kWord, {at, at + found[0].span.end});
}

/// Reads the end of a line. Two spaces or a backslash before it make it a hard break.
std::size_t InlineParser::read_line_end(std::size_t at) {
  auto begin = at;
  while (begin > plain_ && text_[begin - 1] == ' ') --begin;
  const bool is_hard = text_[at] == '\\' || at - begin >= 2;
  const auto end = at + (text_[at] == '\\' ? 2 : 1);
  return add_item({is_hard ? Item::Type::kBreak : Item::Type::kText, {begin, end}, "\n", {}, {}}, end);
}

std::size_t InlineParser::read_code(std::size_t at) {
  const auto end = std::min(text_.find_first_not_of('`', at), text_.size());
  const auto& runs = backticks_[end - at];
  const auto closing = std::ranges::lower_bound(runs, end);
  if (closing == runs.end()) return end;
  return add_element(Kind::kWord, {at, *closing + (end - at)});
}

/// Reads $a$ or $$a$$ as Pandoc does: an inner side of $a$ is no white space, and no digit follows it.
std::size_t InlineParser::read_math(std::size_t at) {
  const bool is_display = starts_with(at, "$$");
  const std::string mark = is_display ? "$$" : "$";
  const auto is_space = [&](std::size_t i) { return i >= text_.size() || is_blank_text(text_.substr(i, 1)); };
  const auto begin = at + mark.size();
  if (missing_.contains(mark) || (!is_display && is_space(begin))) return begin;
  for (auto i = text_.find(mark, begin + 1); i != text_.npos; i = text_.find(mark, i + 1)) {
    const auto end = i + mark.size();
    const bool is_number = end < text_.size() && is_ascii_digit(static_cast<unsigned char>(text_[end]));
    if (text_[i - 1] == '\\' || (!is_display && (is_space(i - 1) || is_number))) continue;
    return add_element(Kind::kWord, {at, end});
  }
  missing_.insert(mark);
  return begin;
}

/// Reads an automatic link or HTML.
std::size_t InlineParser::read_angle(std::size_t at) {
  const auto stop = text_.find_first_of(" \t\n<>", at + 1);
  const auto text = std::string_view(text_).substr(0, stop);
  if (stop != text_.npos && text_[stop] == '>') {
    const auto mark = text.find_first_of(":@", at + 1);
    const bool is_scheme = mark != text.npos && mark > at + (text[mark] == '@' ? 1 : 2) &&
                           std::ranges::all_of(text.substr(at + 1, mark - at - 1), [](char c) {
                             return is_ascii_alphanumeric(c) || c == '+' || c == '-' || c == '.' || c == '_';
                           });
    if (is_scheme) return add_element(Kind::kWord, {at, stop + 1});
  }
  const auto end = html_end(at);
  if (end == kNoMarkdown) return at + 1;
  const bool is_closing = text_[at + 1] == '/';
  const auto name_begin = at + (is_closing ? 2 : 1);
  const auto name = lower_ascii(text_.substr(name_begin, text_.find_first_of(" \t\n/>", name_begin) - name_begin));
  if (name == "br") return add_item({Item::Type::kBreak, {at, end}, {}, {}, {}}, end);
  const bool is_mark = name.empty() || !is_ascii_alphanumeric(name[0]) || text_[end - 2] == '/';
  if (is_mark) return add_element(Kind::kMark, {at, end});
  if (!is_closing && is_in_words(name, "code kbd samp script style var")) {
    const auto closing = end_of("</" + name + ">", end);
    if (closing != kNoMarkdown) return add_element(Kind::kWord, {at, closing});
  }
  return add_element(is_closing ? Kind::kClosing : Kind::kOpening, {at, end}, "<" + name);
}

std::size_t InlineParser::html_end(std::size_t at) {
  for (const std::string_view short_comment : {"<!-->", "<!--->"})
    if (starts_with(at, short_comment)) return at + short_comment.size();
  constexpr std::pair<std::string_view, const char*> kEnds[] = {
      {"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}, {"<!", ">"}};
  for (const auto& [begin, end] : kEnds)
    if (starts_with(at, begin)) return end_of(end, at + begin.size());
  return markdown_tag_end(text_, at);
}

/// Returns the offset after the next `mark`, or kNoMarkdown. A mark that was missed is not searched again.
std::size_t InlineParser::end_of(const std::string& mark, std::size_t at) {
  const auto found = missing_.contains(mark) ? text_.npos : text_.find(mark, at);
  if (found == text_.npos) missing_.insert(mark);
  return found == text_.npos ? kNoMarkdown : found + mark.size();
}

std::size_t InlineParser::read_delimiters(std::size_t at) {
  end_plain(at);
  const auto end = emphasis_.add_run(text_, at, items_.size());
  for (auto i = at; i < end; ++i) add_item({Item::Type::kText, {i, i + 1}, text_.substr(i, 1), {}, {}}, i + 1);
  return end;
}

/// Makes elements of the delimiters after `bottom`.
void InlineParser::end_emphasis(std::size_t bottom) {
  for (const auto& [opening, closing, width] : emphasis_.pairs_after(bottom)) {
    const auto name = "*" + std::to_string(pairs_++);
    for (const auto& [first, kind] : {std::pair(opening, Kind::kOpening), std::pair(closing, Kind::kClosing)}) {
      const auto begin = items_[first].span.begin;
      items_[first] = {Item::Type::kElement, {begin, begin + width}, {}, kind, name};
      if (width == 2) items_[first + 1] = {Item::Type::kText, {begin + 2, begin + 2}, {}, {}, {}};
    }
  }
}

/// Reads a closing bracket with the destination or the label after it.
std::size_t InlineParser::close_bracket(std::size_t at) {
  if (brackets_.empty()) return at + 1;
  const auto bracket = brackets_.back();
  brackets_.pop_back();
  const bool is_active = bracket.is_image || brackets_.size() >= inactive_;
  inactive_ = std::min(inactive_, brackets_.size());
  if (!is_active) return at + 1;
  end_plain(at);
  const auto begin = items_[bracket.item].span.end;
  const auto text = std::string_view(text_);
  const bool may_be_label = markdown_label_end(text_, begin - 1) == at + 1;
  if (may_be_label && text_[begin] == '^' && !bracket.is_image) {
    end_emphasis(bracket.run);
    const auto mark = items_[bracket.item].span.begin;
    items_.resize(bracket.item);
    plain_ = mark;
    return add_element(Kind::kMark, {mark, at + 1});
  }
  auto end = link_end(at + 1);
  const auto label_end = markdown_label_end(text_, at + 1);
  if (end == kNoMarkdown && label_end != kNoMarkdown) {
    if (labels_.contains(markdown_label(text.substr(at + 2, label_end - at - 3)))) end = label_end;
  } else if (end == kNoMarkdown && may_be_label && labels_.contains(markdown_label(text.substr(begin, at - begin)))) {
    end = at + (starts_with(at, "][]") ? 3 : 1);
    auto label = text_.substr(begin, at - begin);
    std::ranges::replace(label, '\n', ' ');
    result_.labels.push_back({{source(at), source(end)}, {"][" + label + "]"}});
  }
  if (end == kNoMarkdown) return at + 1;
  end_emphasis(bracket.run);
  if (bracket.is_image) {
    emit(bracket.item + 1);
    items_.resize(bracket.item + 1);
    items_.back() = {Item::Type::kPicture, {items_.back().span.begin, end}, {}, {}, {}};
    return plain_ = end;
  }
  const auto name = "[" + std::to_string(pairs_++);
  items_[bracket.item] = {Item::Type::kElement, items_[bracket.item].span, {}, Kind::kOpening, name};
  inactive_ = brackets_.size();
  return add_element(Kind::kClosing, {at, end}, name);
}

/// Returns the offset after (destination "title"), or kNoMarkdown.
std::size_t InlineParser::link_end(std::size_t at) const {
  if (!starts_with(at, "(")) return kNoMarkdown;
  at = after_markdown_space(text_, at + 1);
  if (const auto end = markdown_destination_end(text_, at); end != kNoMarkdown) {
    at = after_markdown_space(text_, end);
    const auto title_end = at > end ? markdown_title_end(text_, at) : kNoMarkdown;
    if (title_end != kNoMarkdown) at = after_markdown_space(text_, title_end);
  }
  return starts_with(at, ")") ? at + 1 : kNoMarkdown;
}

/// Makes units of the items from `first_item` on.
void InlineParser::emit(std::size_t first_item) {
  InlineBuilder builder;
  const auto end_unit = [&] {
    if (auto unit = builder.finish()) result_.units.push_back(std::move(*unit));
  };
  for (auto i = first_item; i < items_.size(); ++i) {
    const auto& item = items_[i];
    const TextSpan span{source(item.span.begin), source(item.span.end)};
    if (item.type == Item::Type::kBreak) end_unit();
    if (item.type == Item::Type::kText && !item.span.empty()) builder.add_text(item.text, span);
    const bool is_reference = item.name.starts_with('[') || is_in_words(item.name, "<a <sub <sup");
    if (item.type == Item::Type::kElement && item.kind == Kind::kClosing)
      builder.end_pair(span, item.name, is_reference);
    else if (item.type == Item::Type::kElement)
      builder.add_element(item.kind, span, item.name);
    if (item.type == Item::Type::kPicture) builder.add_picture(span);
  }
  end_unit();
}

}  // namespace

MarkdownUnits markdown_units(std::string_view bytes, const MarkdownText& text,
                             const std::unordered_set<std::string>& labels) {
  return InlineParser(bytes, text, labels).parse();
}

}  // namespace gloss
