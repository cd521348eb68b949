#include "documents/model/inline_text.h"

#include <string_view>
#include <unordered_map>

#include "common/text/utf8.h"

namespace gloss {
namespace {

bool is_between_characters(std::string_view text, std::size_t offset) {
  return offset == text.size() || (offset < text.size() && (text[offset] & 0xc0) != 0x80);
}

}  // namespace

void pair_elements(InlineText& text, const std::vector<std::string>& names) {
  auto& elements = text.elements;
  std::vector<std::size_t> open;
  std::unordered_map<std::string_view, std::size_t> open_of_name;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i].kind == InlineElement::Kind::kOpening) {
      open.push_back(i);
      ++open_of_name[names[i]];
    }
    if (elements[i].kind != InlineElement::Kind::kClosing || open_of_name[names[i]] == 0) continue;
    for (bool found = false; !found; open.pop_back()) {  // those between would cross this pair and stay alone
      const auto opening = open.back();
      --open_of_name[names[opening]];
      found = names[opening] == names[i];
      if (found) elements[elements[i].partner = opening].partner = i;
    }
  }
  for (auto& element : elements)
    if (element.kind != InlineElement::Kind::kWord && element.partner == InlineElement::kNone)
      element.kind = InlineElement::Kind::kMark;
}

bool is_well_nested(const InlineText& text) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0, last = 0; i < text.elements.size(); ++i) {
    const auto& element = text.elements[i];
    if (element.offset < last || !is_between_characters(text.text, element.offset)) return false;
    last = element.offset;
    if (element.kind == InlineElement::Kind::kOpening) {
      open.push_back(i);
    } else if (element.kind == InlineElement::Kind::kClosing) {
      if (open.empty() || element.partner != open.back() || text.elements[open.back()].partner != i) return false;
      open.pop_back();
    } else if (element.partner != InlineElement::kNone) {
      return false;
    }
  }
  return open.empty();
}

bool is_unchanged(const InlineText& source, const InlineText& target) {
  if (source.text != target.text || source.elements.size() != target.elements.size()) return false;
  for (std::size_t i = 0; i < source.elements.size(); ++i) {
    const auto &before = source.elements[i], &after = target.elements[i];
    if (before.offset != after.offset || before.source != after.source || before.text != after.text) return false;
  }
  return true;
}

}  // namespace gloss
