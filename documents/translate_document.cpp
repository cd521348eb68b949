#include "documents/translate_document.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "common/text/split.h"
#include "common/text/word_boundary.h"

namespace gloss {
namespace {

constexpr std::size_t kUnitsAtOnce = 1000;
constexpr std::size_t kBytesAtOnce = 1 << 18;

/// A passage of one of several documents.
struct PassageOf {
  Document* document;
  Passage passage;
};

/// Translates the units of some passages together, and writes these unless units are left. Calls
/// `on_unit(document, translation)` for each.
void translate_passages(const UnitTranslator& translator, std::span<PassageOf> passages, UnitCounts& counts,
                        const std::function<void(const Document*, const UnitTranslation&)>& on_unit = {}) {
  std::vector<Unit> units;
  for (auto& [document, passage] : passages)
    std::ranges::move(passage.units, std::back_inserter(units));  // their number stays
  const auto translations = translator.translate(units, counts);
  if (counts.left > 0) return;
  std::span<const UnitTranslation> rest(translations);
  for (auto& [document, passage] : passages) {
    const auto of_passage = rest.first(passage.units.size());
    rest = rest.subspan(passage.units.size());
    document->write(of_passage.empty() ? passage.bytes : apply_replacements(passage.bytes, passage.render(of_passage)));
    for (const auto& translation : of_passage)
      if (on_unit) on_unit(document, translation);
  }
}

}  // namespace

UnitCounts translate_document(Document& document, const UnitTranslator& translator,
                              const std::function<void(double share)>& progress) {
  UnitCounts counts;
  for (bool at_end = false; !at_end;) {
    std::vector<PassageOf> passages;
    std::size_t units = 0, bytes = 0;
    while (units < kUnitsAtOnce && bytes < kBytesAtOnce) {
      auto passage = document.next();
      at_end = !passage;
      if (at_end) break;
      units += passage->units.size();
      bytes += passage->bytes.size();
      passages.push_back({&document, std::move(*passage)});
    }
    translate_passages(translator, passages, counts);
    if (counts.left > 0) return counts;
    if (progress) progress(document.share_read());
  }
  document.finish();
  return counts;
}

DocumentsTranslation translate_together(std::span<const std::unique_ptr<Document>> documents,
                                        const UnitTranslator& translator) {
  std::vector<PassageOf> passages;
  for (const auto& document : documents)
    while (auto passage = document->next()) passages.push_back({document.get(), std::move(*passage)});
  DocumentsTranslation result;
  std::map<const Document*, std::pair<double, double>> sums;  // of confidences, and their number
  translate_passages(translator, passages, result.counts, [&](const Document* document, const UnitTranslation& unit) {
    sums[document].first += unit.confidence;
    sums[document].second += 1;
  });
  for (const auto& document : documents) {
    if (result.counts.left == 0) document->finish();
    const auto& [sum, count] = sums[document.get()];
    result.confidences.push_back(count > 0 ? sum / count : 1);
  }
  return result;
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
