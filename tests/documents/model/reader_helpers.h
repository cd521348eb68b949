#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "documents/model/passage.h"
#include "documents/model/placeholders.h"

namespace gloss {

using FakeTranslation = std::function<InlineText(const InlineText&)>;

inline InlineText unchanged(const InlineText& text) { return text; }

/// Returns the text with letters of ASCII outside of placeholders in upper case, and its elements.
inline InlineText shouted(const InlineText& text) {
  auto result = text;
  std::size_t begin = 0;
  const auto shout_to = [&](std::size_t end) {
    for (; begin < end; ++begin)
      if (result.text[begin] >= 'a' && result.text[begin] <= 'z') result.text[begin] -= 'a' - 'A';
  };
  for (const auto& placeholder : find_placeholders(text.text)) {
    shout_to(placeholder.span.begin);
    begin = placeholder.span.end;
  }
  shout_to(text.text.size());
  return result;
}

/// Returns the bytes of a passage with fake translations; adds the texts of its units to `texts`.
inline std::string rendered_passage(const Passage& passage, const FakeTranslation& fake,
                                    std::vector<std::string>* texts = nullptr) {
  std::vector<UnitTranslation> translations;
  for (const auto& unit : passage.units) {
    if (texts) texts->push_back(unit.source.text);
    translations.push_back({fake(unit.source), {}});
  }
  if (translations.empty()) return passage.bytes;
  return apply_replacements(passage.bytes, passage.render(translations));
}

/// Reads a document to its end and returns it with fake translations.
inline std::string rendered_document(PassageReader& reader, const FakeTranslation& fake,
                                     std::vector<std::string>* texts = nullptr) {
  std::string result;
  while (const auto passage = reader.next()) result += rendered_passage(*passage, fake, texts);
  return result;
}

}  // namespace gloss
