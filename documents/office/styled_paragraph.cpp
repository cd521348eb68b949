#include "documents/office/styled_paragraph.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "common/error.h"
#include "common/text/split.h"
#include "documents/markup/inline_builder.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

bool is_tab(const ParagraphPiece& piece) { return !piece.element && piece.text == kTabText; }
bool has_text(const ParagraphPiece& piece) { return !piece.element && !is_tab(piece); }

std::size_t visible_bytes(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return kAsciiSpace.find(c) == kAsciiSpace.npos; }));
}

/// Identifies an element of a paragraph: both elements of a pair may have the bytes of one text.
auto key_of(const InlineElement& element) { return std::pair(element.source.begin, element.kind == Kind::kClosing); }

bool is_same(const InlineText& a, const InlineText& b) {
  return a.text == b.text && std::ranges::equal(a.elements, b.elements, [](const auto& x, const auto& y) {
           return x.offset == y.offset && key_of(x) == key_of(y);
         });
}

}  // namespace

std::string short_format(std::string format) {
  constexpr std::size_t kMaxBytes = 1 << 14, kMaxCopied = 100;
  if (format.size() >= kMaxBytes)
    throw DataError("wanted formats of less than " + std::to_string(kMaxBytes) + " bytes, got a longer one");
  if (format.size() <= kMaxCopied) return format;
  return std::to_string(format.size()) + ' ' + std::to_string(std::hash<std::string>()(format));
}

void join_pieces(ParagraphPieces& pieces, std::size_t first, Kind kind) {
  ParagraphPiece joined{.place = pieces[first].place, .element = kind};
  for (auto i = first; i < pieces.size(); ++i) std::ranges::move(pieces[i].bytes, std::back_inserter(joined.bytes));
  pieces.resize(first);
  pieces.push_back(std::move(joined));
}

void pair_pieces(ParagraphPieces& pieces, std::size_t opening) {
  const auto begin = pieces.begin() + static_cast<std::ptrdiff_t>(opening);
  begin->element = Kind::kOpening;
  pieces.back().element = Kind::kClosing;
  if (std::any_of(begin, pieces.end(), has_text)) return;
  const bool has_word =
      std::any_of(begin, pieces.end(), [](const auto& piece) { return piece.element == Kind::kWord; });
  join_pieces(pieces, opening, has_word ? Kind::kWord : Kind::kMark);
}

StyledParagraph::StyledParagraph(ParagraphPieces pieces, TextSpan range) : pieces_(std::move(pieces)), range_(range) {
  for (auto& piece : pieces_)
    if (has_text(piece)) std::ranges::replace(piece.text, kTabText[0], ' ');
  // Word often gives a space between two words the format of neither.
  for (std::size_t i = 1; i + 1 < pieces_.size(); ++i) {
    const auto &before = pieces_[i - 1], &after = pieces_[i + 1];
    if (has_text(before) && has_text(after) && pieces_[i].text == " " && before.format == after.format)
      pieces_[i].format = before.format;
  }
  find_bases();
  read_source();
  if (source_.text.empty()) pieces_ = {};
}

void StyledParagraph::find_bases() {
  struct Share {
    std::size_t bytes = 0, piece = 0;
  };
  struct Level {
    std::size_t opening;
    std::map<std::string_view, Share> shares = {};  // by format
  };
  const auto first_text = std::ranges::find_if(pieces_, has_text) - pieces_.begin();
  bases_.assign(pieces_.size() + 1, static_cast<std::size_t>(first_text));
  std::vector<Level> levels{{pieces_.size()}};
  const auto close = [&] {
    std::size_t most = 0;
    for (const auto& [format, share] : levels.back().shares)
      if (share.bytes > most) {
        most = share.bytes;
        bases_[levels.back().opening] = share.piece;
      }
    levels.pop_back();
  };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto& piece = pieces_[i];
    if (piece.element == Kind::kOpening) levels.push_back({i});
    if (piece.element == Kind::kClosing) close();
    if (!has_text(piece)) continue;
    auto& share = levels.back().shares.try_emplace(piece.format, Share{0, i}).first->second;
    share.bytes += visible_bytes(piece.text);
  }
  close();
}

bool StyledParagraph::format_continues(std::size_t text) const {
  auto next = text + 1;
  while (next < pieces_.size() &&
         (pieces_[next].element == Kind::kMark || pieces_[next].element == Kind::kWord || is_tab(pieces_[next])))
    ++next;
  return next < pieces_.size() && has_text(pieces_[next]) && pieces_[next].format == pieces_[text].format;
}

/// Numbers of a piece n: 3n for itself or for the opening of its format, 3n + 1 for its text, 3n + 2 for the closing.
void StyledParagraph::read_source() {
  InlineBuilder builder;
  std::vector<std::size_t> bases{bases_.back()};
  bool is_open = false;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const auto& piece = pieces_[i];
    if (is_tab(piece)) {
      builder.add_text(kTabText, {3 * i, 3 * i + 3});
    } else if (piece.element == Kind::kWord) {
      builder.add_picture({3 * i, 3 * i + 3});
    } else if (piece.element) {
      builder.add_element(*piece.element, {3 * i, 3 * i + 3}, "pair");
      if (piece.element == Kind::kOpening) bases.push_back(bases_[i]);
      if (piece.element == Kind::kClosing) bases.pop_back();
    } else {
      const bool opens = !is_open && piece.format != pieces_[bases.back()].format;
      if (opens) builder.add_element(Kind::kOpening, {3 * i, 3 * i + 1}, "format");
      builder.add_text(piece.text, {3 * i + 1, 3 * i + 2});
      is_open = is_open || opens;
      if (!is_open || format_continues(i)) continue;
      builder.add_element(Kind::kClosing, {3 * i + 2, 3 * i + 3}, "format");
      is_open = false;
    }
  }
  auto placed = builder.finish();
  if (!placed) return;
  source_ = std::move(placed->source);
  first_ = placed->range.begin / 3;
  last_ = (placed->range.end + 2) / 3;
  for (auto& element : source_.elements) {
    numbers_.push_back(element.source.begin);
    element.source = pieces_[element.source.begin / 3].place;
  }
}

std::optional<Replacement> StyledParagraph::render(const InlineText& target, const TextWriter& write) const {
  if (is_same(target, source_)) return {};
  std::map<std::pair<std::size_t, bool>, std::size_t> number_of;
  for (std::size_t i = 0; i < numbers_.size(); ++i) number_of[key_of(source_.elements[i])] = numbers_[i];

  Replacement result{range_, {}};
  std::vector<std::size_t> formats{bases_.back()};
  const auto add_piece = [&](std::size_t index) {
    const auto& piece = pieces_[index];
    std::ranges::copy(piece.bytes, std::back_inserter(result.parts));
    if (piece.element == Kind::kOpening) formats.push_back(bases_[index]);
    if (piece.element == Kind::kClosing) formats.pop_back();
  };
  std::string text;
  std::size_t read = 0;
  auto tab = first_;  // the next piece that may be one
  const auto add_tab = [&] {
    while (tab < last_ && !is_tab(pieces_[tab])) ++tab;
    if (tab < last_) add_piece(tab++);
  };
  const auto write_text = [&] {
    const auto parts = split_text(text, kTabText[0]);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0) add_tab();
      if (!parts[i].empty()) write(parts[i], pieces_[formats.back()], result.parts);
    }
    text.clear();
  };
  for (std::size_t i = 0; i < first_; ++i) add_piece(i);
  for (const auto& element : target.elements) {
    text.append(target.text, read, element.offset - read);
    read = element.offset;
    if (element.source.empty()) {
      text += element.text;
      continue;
    }
    write_text();
    const auto index = number_of.at(key_of(element)) / 3;
    if (pieces_[index].element)
      add_piece(index);
    else if (element.kind == Kind::kOpening)
      formats.push_back(index);
    else
      formats.pop_back();
  }
  text.append(target.text, read);
  write_text();
  while (tab < last_) add_tab();  // a memory may have a translation without them
  for (auto i = last_; i < pieces_.size(); ++i) add_piece(i);
  return result;
}

Passage paragraphs_passage(std::string bytes, std::vector<StyledParagraph> paragraphs, TextWriter write) {
  std::erase_if(paragraphs, [](const auto& paragraph) { return paragraph.source().text.empty(); });
  Passage passage{std::move(bytes), {}, {}};
  for (const auto& paragraph : paragraphs)
    passage.units.push_back({.id = "text " + std::to_string(passage.units.size() + 1), .source = paragraph.source()});
  const auto shared = std::make_shared<const std::vector<StyledParagraph>>(std::move(paragraphs));
  passage.render = [shared, write = std::move(write)](std::span<const UnitTranslation> translations) {
    std::vector<Replacement> replacements;
    for (std::size_t i = 0; i < shared->size(); ++i)
      if (auto replacement = (*shared)[i].render(translations[i].target, write))
        replacements.push_back(std::move(*replacement));
    return replacements;
  };
  return passage;
}

void for_each_element(pugi::xml_node root, const std::function<bool(pugi::xml_node)>& take) {
  for (auto node = root; node;) {
    const bool enters = node.type() == pugi::node_element && take(node);
    auto next = enters ? node.first_child() : pugi::xml_node();
    for (; !next && node != root; node = node.parent()) next = node.next_sibling();
    node = next;
  }
}

Passage read_text_elements(std::string bytes, const DocumentOptions& options, std::string_view name) {
  std::vector<StyledParagraph> paragraphs;
  const XmlDocument xml(bytes, options.name);
  for_each_element(xml.root(), [&](pugi::xml_node element) {
    const auto text = element.first_child();
    if (name != element.name() || text.type() != pugi::node_pcdata || text.next_sibling()) return true;
    const auto place = xml.range(text);
    ParagraphPieces pieces{{.place = place, .bytes = {place}, .text = decode_xml(text.value())}};
    paragraphs.emplace_back(std::move(pieces), place);
    return false;
  });
  return paragraphs_passage(std::move(bytes), std::move(paragraphs),
                            [](auto text, const auto&, auto& written) { written.emplace_back(escape_xml(text)); });
}

}  // namespace gloss
