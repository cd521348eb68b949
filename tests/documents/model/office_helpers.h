#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "documents/model/inline_text.h"
#include "documents/model/passage.h"

namespace gloss {

/// Returns a text with its elements as signs: [ and ] for pairs, | for marks, # for words.
inline std::string marked_text(const InlineText& text) {
  std::string result;
  std::size_t written = 0;
  for (const auto& element : text.elements) {
    result += text.text.substr(written, element.offset - written);
    result += "[]|#"[static_cast<std::size_t>(element.kind)];
    written = element.offset;
  }
  return result + text.text.substr(written);
}

inline std::vector<std::string> office_units(const Passage& passage) {
  std::vector<std::string> units;
  for (const auto& unit : passage.units) units.push_back(marked_text(unit.source));
  return units;
}

inline std::string upper_cased(std::string text) {
  for (auto& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

/// Returns the bytes of a passage in which each unit has the target that `translate` makes of its source.
inline std::string translated_bytes(const Passage& passage, const std::function<InlineText(InlineText)>& translate) {
  if (passage.units.empty()) return passage.bytes;
  std::vector<UnitTranslation> translations;
  for (const auto& unit : passage.units) {
    UnitTranslation translation;
    translation.target = translate(unit.source);
    translations.push_back(std::move(translation));
  }
  return apply_replacements(passage.bytes, passage.render(translations));
}

inline std::string kept_bytes(const Passage& passage) {
  return translated_bytes(passage, [](InlineText text) { return text; });
}

inline std::string upper_cased_bytes(const Passage& passage) {
  return translated_bytes(passage, [](InlineText text) {
    text.text = upper_cased(std::move(text.text));
    return text;
  });
}

}  // namespace gloss
