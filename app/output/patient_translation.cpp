#include "app/output/patient_translation.h"

#include <iterator>

#include "tensor/out_of_memory.h"

namespace gloss {
namespace {

using Attempt = std::vector<std::optional<DetailedTranslation>>;

/// Absent where memory ran out; what was taken is given back by then.
std::optional<Attempt> try_to_translate(std::span<const std::string> lines, const Translate& translate) {
  try {
    auto done = translate(lines);
    return Attempt(std::make_move_iterator(done.begin()), std::make_move_iterator(done.end()));
  } catch (...) {
    if (!is_out_of_memory()) throw;
    return std::nullopt;
  }
}

}  // namespace

Attempt translate_patiently(std::span<const std::string> lines, const Translate& translate) {
  if (auto translations = try_to_translate(lines, translate)) return std::move(*translations);
  if (lines.size() == 1) return Attempt(1);
  const auto half = lines.size() / 2;
  auto translations = translate_patiently(lines.first(half), translate);
  for (auto& translation : translate_patiently(lines.subspan(half), translate))
    translations.push_back(std::move(translation));
  return translations;
}

}  // namespace gloss
