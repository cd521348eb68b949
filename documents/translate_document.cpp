#include "documents/translate_document.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

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

}  // namespace gloss
