#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "documents/model/passage.h"

namespace gloss {

/// Returns the texts of the units with their elements in braces: "a {<b>}c{</b>}".
inline std::vector<std::string> marked_units(const Passage& passage) {
  std::vector<std::string> texts;
  for (const auto& unit : passage.units) {
    auto& text = texts.emplace_back();
    std::size_t written = 0;
    for (const auto& element : unit.source.elements) {
      text.append(unit.source.text, written, element.offset - written);
      text.append("{").append(element.source.of(passage.bytes)).append("}");
      written = element.offset;
    }
    text.append(unit.source.text, written);
  }
  return texts;
}

/// Returns a document of random pieces.
inline std::string random_document(std::mt19937& random, const std::vector<std::string>& pieces) {
  std::string document;
  for (auto count = random() % 60; count > 0; --count) document += pieces[random() % pieces.size()];
  return document;
}

/// Returns a document with a few bytes left out, repeated or exchanged.
inline std::string damaged(std::string document, std::mt19937& random) {
  for (int i = 0; i < 4 && !document.empty(); ++i) {
    const auto at = random() % document.size();
    const auto length = random() % 6;
    if (random() % 3 == 0)
      document.erase(at, length);
    else if (random() % 2 == 0)
      document.insert(at, document.substr(random() % document.size(), length));
    else
      document[at] = "<>&;/\"'=-! \n]["[random() % 14];
  }
  return document;
}

}  // namespace gloss
