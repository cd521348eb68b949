#include <exception>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <gloss/translator.h>

#include "common/error.h"
#include "common/system/machine.h"
#include "common/version.h"
#include "library/public_errors.h"
#include "library/public_translation.h"
#include "library/search_options.h"
#include "tensor/determinism.h"
#include "tensor/runtime.h"
#include "tensor/thread_count.h"
#include "translation/glossary_phrases.h"
#include "translation/models/translation_ensemble.h"
#include "translation/models/translation_model.h"

namespace gloss {
namespace {

/// Calls `work` and converts its exceptions to the public ones of the same kind.
template <typename Work>
auto with_public_errors(const Work& work) {
  try {
    return work();
  } catch (...) {
    throw_public_error();
  }
}

std::optional<WeightPrecision> wanted_precision(MatrixPrecision precision) {
  switch (precision) {
    case MatrixPrecision::kFloat32:
      return WeightPrecision::kFloat32;
    case MatrixPrecision::kBfloat16:
      return WeightPrecision::kBfloat16;
    case MatrixPrecision::kInt8:
      return WeightPrecision::kInt8;
    default:
      return std::nullopt;
  }
}

int threads_of(const TranslatorSettings& settings) {
  constexpr int kMaxThreads = 1024;
  if (settings.threads < 0 || settings.threads > kMaxThreads)
    throw UsageError("threads: wanted 0 to " + std::to_string(kMaxThreads) + ", got " +
                     std::to_string(settings.threads));
  return settings.threads > 0 ? settings.threads : available_processors();
}

std::optional<GlossaryPhrases> make_glossary(const TranslationOptions& options, const DecodingConfig& decoding,
                                             const Tokenizer& target) {
  if (options.glossary.empty()) return std::nullopt;
  if (decoding.sampling.enabled) throw UsageError("glossary: wanted a search, got sampling; set sample to false");
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [source, phrase] : options.glossary) entries.emplace_back(source, phrase);
  try {
    return GlossaryPhrases(Glossary::from_entries(entries), target);
  } catch (const DataError& error) {
    throw UsageError(error.what());
  }
}

DetailOptions detail_options(const TranslationOptions& options, const ModelConfig& model, bool aligns) {
  DetailOptions details{
      .confidence = options.confidence, .alignment = options.alignment, .replace_unknown = options.replace_unknown};
  if (details.needs_attention() && !aligns)
    throw UsageError(std::string(options.alignment ? "alignment" : "replace_unknown") +
                     ": wanted a Translator that can align; load it with TranslatorSettings::alignment");
  if (options.alignment_from.empty()) return details;
  if (!details.needs_attention())
    throw UsageError("alignment_from: has an effect together with alignment or replace_unknown only");
  details.alignment_from = parse_attention_site(options.alignment_from, model);
  return details;
}

}  // namespace

/// The parts of model files that translating needs.
struct Translator::Impl {
  LineTranslator lines;  ///< without language tags
  TokenizerPair tokenizers;
  TranslatorConfig config;
  int threads;

  /// Returns a translator with the language tags of a call.
  LineTranslator translator(const TranslationOptions& options) const {
    const auto [source, target] = with_tags(tokenizers, config, {options.source_language, options.target_language}, "");
    return lines.with_tokenizers(source, target);
  }
};

Translator::Translator(const std::filesystem::path& file_or_folder, const TranslatorSettings& settings)
    : Translator(std::span(&file_or_folder, 1), settings) {}

Translator::Translator(std::span<const std::filesystem::path> files_or_folders, const TranslatorSettings& settings) {
  impl_ = with_public_errors([&] {
    const auto threads = threads_of(settings);
    const auto device = parse_device(settings.device);
    const auto precision = wanted_precision(settings.precision);
    expect_translating_precision(precision, device, settings.plain);
    if (device.is_cuda()) set_up_determinism(at::get_num_threads());
    const ThreadCount count(start_threads_of_caller(threads));
    const auto models = load_translation_ensemble(files_or_folders, device);
    const auto& first = models.first();
    return std::make_shared<const Impl>(Impl{models.untagged_translator(precision, settings.alignment, settings.plain),
                                             {first.source_tokenizer, first.target_tokenizer},
                                             first.config,
                                             threads});
  });
}

Translator::Translator(std::initializer_list<std::filesystem::path> files_or_folders,
                       const TranslatorSettings& settings)
    : Translator(std::span(files_or_folders.begin(), files_or_folders.size()), settings) {}

Translator::Translator(const Translator&) = default;
Translator& Translator::operator=(const Translator&) = default;
Translator::~Translator() = default;

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const TranslationOptions& options) const {
  std::exception_ptr thrown_by_caller;  // exceptions of on_token leave unchanged
  TranslationHooks hooks{.deadline = options.deadline, .stop = options.stop};
  if (options.on_token)
    hooks.on_token = [&](const TranslationHooks::TokenEvent& event) {
      try {
        return options.on_token({event.line, event.piece, event.text, event.log_probability, event.is_last});
      } catch (...) {
        thrown_by_caller = std::current_exception();
        return false;
      }
    };
  auto result = with_public_errors([&] {
    const ThreadCount count(start_threads_of_caller(impl_->threads));
    const auto translator = impl_->translator(options);
    const auto decoding = decoding_config(options, impl_->config.decoding);
    const auto glossary = make_glossary(options, decoding, *impl_->tokenizers.second);
    const TranslationRequest request{.lines = lines,
                                     .prefixes = options.prefixes,
                                     .first_index = options.first_line,
                                     .glossary = glossary ? &*glossary : nullptr,
                                     .details = detail_options(options, impl_->config.model, translator.can_align())};
    std::vector<Translation> translations;
    for (auto& translation : translator.translate(request, decoding, hooks))
      translations.push_back(to_public(std::move(translation)));
    return translations;
  });
  if (thrown_by_caller) std::rethrow_exception(thrown_by_caller);
  return result;
}

Translation Translator::translate_line(const std::string& line, const TranslationOptions& options) const {
  return std::move(translate(std::span(&line, 1), options).front());
}

std::vector<std::string> Translator::languages() const {
  std::set<std::string> names;
  for (const auto& tokenizer : {impl_->tokenizers.first, impl_->tokenizers.second})
    for (auto& language : tokenizer->languages()) names.insert(std::move(language));
  return {names.begin(), names.end()};
}

const char* version() noexcept { return kVersion.data(); }

}  // namespace gloss
