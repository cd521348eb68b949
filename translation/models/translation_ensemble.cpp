#include "translation/models/translation_ensemble.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/text/printable.h"
#include "decoding/scorers/ensemble_scorer.h"
#include "decoding/scorers/make_scorer.h"
#include "tensor/caching_allocator.h"

namespace gloss {

std::int64_t TranslationEnsemble::max_source_length() const {
  auto min_length = first().config.max_source_length();
  for (const auto& member : members) min_length = std::min(min_length, member.config.max_source_length());
  return min_length;
}

bool TranslationEnsemble::ignores(std::optional<WeightPrecision> precision) const {
  if (!precision || *precision == WeightPrecision::kFloat32) return false;
  return std::ranges::any_of(members, [](const TranslationModel& member) {
    return falls_back_to_plain(member.file.model.device, member.config.model);
  });
}

LineTranslator TranslationEnsemble::translator(std::optional<WeightPrecision> precision, bool aligns,
                                               bool plain) const {
  const auto [source, target] = first().tagged_tokenizers();
  return untagged_translator(precision, aligns, plain).with_tokenizers(source, target);
}

LineTranslator TranslationEnsemble::untagged_translator(std::optional<WeightPrecision> precision, bool aligns,
                                                        bool plain) const {
  std::vector<std::shared_ptr<const Scorer>> scorers;
  for (const auto& member : members) scorers.push_back(member.scorer(precision, plain));
  release_cached_memory();  // of the weights before they were packed
  auto aligner = aligns ? first().aligner(scorers.front()) : Aligner();
  return LineTranslator(make_ensemble(std::move(scorers)), first().source_tokenizer, first().target_tokenizer,
                        max_source_length(), std::move(aligner));
}

TranslationEnsemble load_translation_ensemble(std::span<const std::filesystem::path> files_or_folders,
                                              at::Device device, const Languages& languages) {
  if (files_or_folders.empty()) throw UsageError({Key{"model"}, ": wanted at least one model file, got none"});
  TranslationEnsemble ensemble;
  for (const auto& path : files_or_folders) {
    auto& member = ensemble.members.emplace_back(load_translation_model(path, device));
    member.languages = languages;
    expect_same_tokenizers(ensemble.first().file.description, printable(files_or_folders.front().string()),
                           member.file.description, printable(path.string()));
  }
  return ensemble;
}

}  // namespace gloss
