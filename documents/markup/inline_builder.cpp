#include "documents/markup/inline_builder.h"

#include <algorithm>
#include <utility>

#include "common/text/split.h"
#include "common/text/utf8.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

using Kind = InlineElement::Kind;

}  // namespace

std::string LineNames::of(std::size_t offset) {
  line_ += static_cast<std::size_t>(std::ranges::count(bytes_.substr(offset_, offset - offset_), '\n'));
  offset_ = offset;
  return "line " + std::to_string(line_);
}

void InlineBuilder::add_text(std::string_view text, TextSpan source) {
  const bool is_content = text.find_first_not_of(kAsciiSpace) != text.npos;
  const auto begin = text_.text.size();
  text_.text += text;
  pieces_.push_back({{begin, text_.text.size()}, source, InlineElement::kNone, is_content});
}

void InlineBuilder::add_element(Kind kind, TextSpan source, std::string name) {
  if (kind == Kind::kClosing && !pieces_.empty() && pieces_.back().element != InlineElement::kNone) {
    auto& last = text_.elements.back();
    if (last.kind == Kind::kOpening && names_.back() == name) {
      last.kind = Kind::kMark;
      last.source.end = pieces_.back().source.end = source.end;
      return;
    }
  }
  InlineElement element;
  element.kind = kind;
  element.offset = text_.text.size();
  element.source = source;
  piece_of_.push_back(pieces_.size());
  pieces_.push_back({{element.offset, element.offset}, source, text_.elements.size(), kind == Kind::kWord});
  text_.elements.push_back(std::move(element));
  names_.push_back(std::move(name));
}

void InlineBuilder::end_pair(TextSpan source, std::string name, bool is_reference) {
  if (const auto opening = opening_of_signs(name, is_reference))
    join_from(*opening, source.end);
  else
    add_element(Kind::kClosing, source, std::move(name));
}

/// Returns the piece of the opening tag of a pair that ends here, if its text has signs and nothing else.
std::optional<std::size_t> InlineBuilder::opening_of_signs(std::string_view name, bool may_have_digits) const {
  bool has_signs = false;
  for (auto i = pieces_.size(); i-- > 0;) {
    const auto& [text, source, element, is_content] = pieces_[i];
    if (element == InlineElement::kNone) {
      const auto part = text.of(text_.text);
      if (has_letter(part) || (!may_have_digits && part.find_first_of("0123456789") != part.npos)) return std::nullopt;
      has_signs |= is_content;
    } else if (text_.elements[element].kind == Kind::kOpening) {
      return has_signs && names_[element] == name ? std::optional(i) : std::nullopt;
    } else if (text_.elements[element].kind == Kind::kClosing) {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

/// Makes a word of the pieces from an opening tag on.
void InlineBuilder::join_from(std::size_t piece, std::size_t end) {
  pieces_.resize(piece + 1);
  auto& word = pieces_[piece];
  word.source.end = end;
  word.is_content = true;
  text_.text.resize(word.text.begin);
  text_.elements.resize(word.element + 1);
  text_.elements.back().kind = Kind::kWord;
  text_.elements.back().source.end = end;
  names_.resize(word.element + 1);
  piece_of_.resize(word.element + 1);
}

void InlineBuilder::add_picture(TextSpan source) {
  add_element(Kind::kWord, source);
  pieces_.back().is_content = false;
}

std::optional<PlacedText> InlineBuilder::finish() {
  if (pieces_.empty()) return std::nullopt;
  pair_elements(text_, names_);
  auto result = trimmed();
  *this = {};
  return result;
}

std::optional<PlacedText> InlineBuilder::trimmed() const {
  std::size_t first = 0, last = pieces_.size();
  while (first < last && !pieces_[first].is_content) ++first;
  while (first < last && !pieces_[last - 1].is_content) --last;
  if (first == last) return std::nullopt;
  // A pair at an end belongs to the text if one of its tags is between the first and the last content.
  const auto belongs = [&, first, last](const Piece& piece, Kind kind) {
    if (piece.element == InlineElement::kNone || text_.elements[piece.element].kind != kind) return false;
    const auto partner = piece_of_[text_.elements[piece.element].partner];
    return partner >= first && partner < last;
  };
  auto begin = first, end = last;
  for (auto i = first; i-- > 0;)
    if (belongs(pieces_[i], Kind::kOpening)) begin = i;
  for (auto i = last; i < pieces_.size(); ++i)
    if (belongs(pieces_[i], Kind::kClosing)) end = i + 1;

  PlacedText result{{}, {pieces_[begin].source.begin, pieces_[end - 1].source.end}};
  TextSpan kept{pieces_[begin].text.begin, pieces_[end - 1].text.end};
  if (pieces_[begin].is_verbatim()) {
    const auto spaces = std::min(text_.text.find_first_not_of(kAsciiSpace, kept.begin), kept.end) - kept.begin;
    kept.begin += spaces;
    result.range.begin += spaces;
  }
  while (pieces_[end - 1].is_verbatim() && kAsciiSpace.find(text_.text[kept.end - 1]) != kAsciiSpace.npos) {
    --kept.end;
    --result.range.end;
  }
  result.source.text = kept.of(text_.text);
  if (!has_letter(result.source.text) || !is_text(result.source.text)) return std::nullopt;
  std::size_t left_out = 0;  // elements before the first
  while (left_out < piece_of_.size() && piece_of_[left_out] < begin) ++left_out;
  for (auto i = left_out; i < piece_of_.size() && piece_of_[i] < end; ++i) {
    auto element = text_.elements[i];
    element.offset -= kept.begin;
    if (element.partner != InlineElement::kNone) element.partner -= left_out;
    result.source.elements.push_back(std::move(element));
  }
  return result;
}

}  // namespace gloss
