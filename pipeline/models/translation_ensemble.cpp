#include "pipeline/models/translation_ensemble.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "common/error.h"
#include "common/log.h"
#include "decoding/scorers/ensemble_scorer.h"
#include "tensor/caching_allocator.h"

namespace gloss {

std::int64_t TranslationEnsemble::max_source_length() const {
  auto least = gloss::max_source_length(first().config);
  for (const auto& member : members) least = std::min(least, gloss::max_source_length(member.config));
  return least;
}

LineTranslator TranslationEnsemble::translator(std::optional<WeightPrecision> precision, bool aligns,
                                               bool plain) const {
  std::vector<std::shared_ptr<const Scorer>> scorers;
  for (const auto& member : members) scorers.push_back(member.scorer(precision, plain));
  release_cached_memory();  // of the weights before they were packed
  return LineTranslator(make_ensemble(std::move(scorers)), first().source_tokenizer, first().target_tokenizer,
                        max_source_length(), aligns ? first().file.model.network : nullptr);
}

TranslationEnsemble load_translation_ensemble(std::span<const std::filesystem::path> files_or_folders,
                                              at::Device device) {
  if (files_or_folders.empty()) throw UsageError("--model: wanted at least one model file, got none");
  TranslationEnsemble ensemble;
  for (const auto& path : files_or_folders) {
    const auto& member = ensemble.members.emplace_back(load_translation_model(path, device));
    if (member.file.description.tokenizers == ensemble.first().file.description.tokenizers) continue;
    throw ModelError(printable(path.string()) + ": wanted the tokenizer of " +
                     printable(files_or_folders.front().string()) +
                     ", got another; models that translate together must have been trained with the same one "
                     "(tokenizer.model_file of the run file)");
  }
  return ensemble;
}

}  // namespace gloss
