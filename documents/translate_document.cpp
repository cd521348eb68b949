#include "documents/translate_document.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/text/split.h"
#include "documents/markup/inline_builder.h"

namespace gloss {
namespace {

constexpr std::size_t kUnitsAtOnce = 1000;
constexpr std::size_t kBytesAtOnce = 1 << 18;

/// Translates the units of some passages together, and writes these.
void translate_passages(Document& document, const UnitTranslator& translator, std::vector<Passage> passages,
                        UnitCounts& counts) {
  std::vector<Unit> units;
  for (auto& passage : passages) std::ranges::move(passage.units, std::back_inserter(units));  // their number stays
  const auto translations = translator.translate(units, counts);
  if (counts.left > 0) return;
  std::span<const UnitTranslation> rest(translations);
  for (auto& passage : passages) {
    const auto of_passage = rest.first(passage.units.size());
    rest = rest.subspan(passage.units.size());
    document.write(of_passage.empty() ? passage.bytes : apply_replacements(passage.bytes, passage.render(of_passage)));
  }
}

}  // namespace

UnitCounts translate_document(Document& document, const UnitTranslator& translator,
                              const std::function<void(double share)>& progress) {
  UnitCounts counts;
  for (bool at_end = false; !at_end;) {
    std::vector<Passage> passages;
    std::size_t units = 0, bytes = 0;
    while (units < kUnitsAtOnce && bytes < kBytesAtOnce) {
      auto passage = document.next();
      at_end = !passage;
      if (at_end) break;
      units += passage->units.size();
      bytes += passage->bytes.size();
      passages.push_back(std::move(*passage));
    }
    translate_passages(document, translator, std::move(passages), counts);
    if (counts.left > 0) return counts;
    if (progress) progress(document.share_read());
  }
  document.finish();
  return counts;
}

UnitTranslation translate_text(std::string_view text, SentenceMode mode, const UnitTranslator& translator,
                               UnitCounts& counts) {
  std::vector<Unit> units;
  std::vector<std::size_t> begins;
  const auto after_line = [&](std::size_t begin) { return std::min(text.find('\n', begin), text.size() - 1) + 1; };
  for (std::size_t begin = 0, end = 0; begin < text.size(); begin = end) {
    end = after_line(begin);
    for (auto line = begin; mode == SentenceMode::kWrapped && end < text.size(); line = end, end = after_line(end))
      if (text.substr(line, end - line).find_first_not_of(kAsciiSpace) == text.npos) break;
    units.push_back({{}, {std::string(text.substr(begin, end - begin)), {}}, mode});
    begins.push_back(begin);
  }
  const auto translations = translator.translate(units, counts);
  UnitTranslation result{.target = {}, .links = {}, .translated = counts.left == 0};
  for (std::size_t i = 0; i < units.size() && result.translated; ++i) {
    const auto unit = with_element_texts(translations[i]);
    for (const auto& [target, source, confidence] : unit.sentences) {
      const auto offset = result.target.text.size();
      result.sentences.push_back({{offset + target.begin, offset + target.end},
                                  {begins[i] + source.begin, begins[i] + source.end},
                                  confidence});
    }
    result.target.text += unit.target.text;
    if (!has_letter(units[i].source.text)) --counts.units;
  }
  return result;
}

}  // namespace gloss
