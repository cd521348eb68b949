#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "documents/model/inline_text.h"
#include "documents/model/passage.h"

namespace gloss {

/// Returns a text with its elements in brackets: "a {<b>}c{</b>}", where elements have `text`.
inline std::string with_elements(const InlineText& text) {
  std::string result;
  std::size_t written = 0;
  for (const auto& element : text.elements) {
    result += text.text.substr(written, element.offset - written) + element.text;
    written = element.offset;
  }
  return result + text.text.substr(written);
}

/// Makes an inline text of one with tags of one letter: <b> </b> are pairs, <x/> is a mark, <w/> and <W/> are words,
/// <W/> in order.
inline InlineText inline_text(std::string_view marked) {
  InlineText result;
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] != '<') {
      result.text += marked[i];
      continue;
    }
    const auto end = marked.find('>', i);
    InlineElement element;
    element.offset = result.text.size();
    element.text = marked.substr(i, end + 1 - i);
    const auto index = result.elements.size();
    if (element.text[1] == '/') {
      element.kind = InlineElement::Kind::kClosing;
      element.partner = open.back();
      result.elements[open.back()].partner = index;
      open.pop_back();
    } else if (!element.text.ends_with("/>")) {
      element.kind = InlineElement::Kind::kOpening;
      open.push_back(index);
    } else if (element.text[1] == 'w' || element.text[1] == 'W') {
      element.kind = InlineElement::Kind::kWord;
      element.in_order = element.text[1] == 'W';
    }
    result.elements.push_back(element);
    i = end;
  }
  return result;
}

/// Returns the words of a text, separated by spaces.
inline std::vector<TextSpan> spaced_words(std::string_view text) {
  std::vector<TextSpan> words;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (i == 0 || text[i - 1] == ' ') words.push_back({i, i});
    words.back().end = i + 1;
  }
  return words;
}

/// A link of words, from 0.
struct WordPair {
  std::size_t target, source;
  double weight = 1;
};
/// Returns the links in bytes of both texts.
inline std::vector<AlignedSpan> links_of(std::string_view target, std::string_view source,
                                         const std::vector<WordPair>& pairs) {
  const auto targets = spaced_words(target), sources = spaced_words(source);
  std::vector<AlignedSpan> links;
  for (const auto& [t, s, weight] : pairs) links.push_back({targets.at(t), sources.at(s), weight});
  return links;
}

}  // namespace gloss
