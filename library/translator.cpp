#include <exception>
#include <list>
#include <memory>
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
#include "library/translator_impl.h"
#include "tensor/accelerator.h"
#include "tensor/runtime.h"
#include "tensor/thread_count.h"
#include "translation/glossary_phrases.h"
#include "translation/models/translation_ensemble.h"
#include "translation/models/translation_model.h"
#include "translation/translation_job.h"
#include "translation/translation_runner.h"

namespace gloss {
namespace {

std::optional<WeightPrecision> wanted_precision(MatrixPrecision precision) {
  switch (precision) {
    case MatrixPrecision::kFloat32:
      return WeightPrecision::kFloat32;
    case MatrixPrecision::kBfloat16:
      return WeightPrecision::kBfloat16;
    case MatrixPrecision::kInt8:
      return WeightPrecision::kInt8;
    case MatrixPrecision::kFloat16:
      return WeightPrecision::kFloat16;
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

std::shared_ptr<const GlossaryPhrases> make_glossary(std::span<const GlossaryEntry> given, const Tokenizer& target) {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& [source, phrase] : given) entries.emplace_back(source, phrase);
  try {
    return std::make_shared<const GlossaryPhrases>(TermList::from_entries(entries), target);
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

Translator::Translator(const std::filesystem::path& file_or_folder, const TranslatorSettings& settings)
    : Translator(std::span(&file_or_folder, 1), settings) {}

Translator::Translator(std::span<const std::filesystem::path> files_or_folders, const TranslatorSettings& settings) {
  impl_ = with_public_errors([&] {
    const auto threads = threads_of(settings);
    const auto device = parse_device(settings.device);
    const auto precision = wanted_precision(settings.precision);
    expect_translating_precision(precision, device, settings.plain);
    if (is_accelerator(device)) set_up_determinism(at::get_num_threads());
    const ThreadCount count(start_threads_of_caller(threads));
    const auto models = load_translation_ensemble(files_or_folders, device);
    const auto& first = models.first();
    return std::make_shared<const Impl>(
        Impl{models.untagged_translator(precision, settings.alignment, settings.plain).with_workers(threads),
             {first.source_tokenizer, first.target_tokenizer},
             first.config});
  });
}

Translator::Translator(std::initializer_list<std::filesystem::path> files_or_folders,
                       const TranslatorSettings& settings)
    : Translator(std::span(files_or_folders.begin(), files_or_folders.size()), settings) {}

Translator::Translator(const Translator&) = default;
Translator& Translator::operator=(const Translator&) = default;
Translator::~Translator() = default;

/// Lines with the same options, while they are translated.
class Translator::Call {
 public:
  /// `first` is the number of the first line among those of the call of translate.
  Call(const Impl& impl, std::span<const std::string> lines, std::size_t first, const TranslationOptions& options)
      : translator_(impl.translator({options.source_language, options.target_language})),
        decoding_(decoding_config(options, impl.config.decoding)),
        glossary_(options.prepared_glossary.phrases_) {
    if (glossary_ && options.prepared_glossary.tokenizer_ != impl.tokenizers.second)
      throw UsageError("prepared_glossary: wanted one that this Translator has prepared, got another Translator's");
    if (!options.glossary.empty()) {
      if (glossary_) throw UsageError("glossary: wanted none beside prepared_glossary");
      glossary_ = make_glossary(options.glossary, *impl.tokenizers.second);
    }
    if (glossary_ && decoding_.sampling.enabled)
      throw UsageError("glossary: wanted a search, got sampling; set sample to false");
    request_ = {.lines = lines,
                .prefixes = options.prefixes,
                .first_index = options.first_line,
                .glossary = glossary_.get(),
                .details = detail_options(options, impl.config.model, translator_.can_align())};
    hooks_ = {.deadline = options.deadline, .stop = options.stop};
    if (options.on_token)
      hooks_.on_token = [this, first, &options](const TranslationHooks::TokenEvent& event) {
        return answer_of([&] {
          return options.on_token({first + event.line, event.piece, event.text, event.log_probability, event.is_last});
        });
      };
    if (options.on_result)
      hooks_.on_result = [this, first, &options](std::size_t line, const LineTranslation& translation) {
        return answer_of([&] { return options.on_result(first + line, to_public(translation)); });
      };
    job_.emplace(translator_, request_, decoding_, hooks_);
  }

  TranslationJob& job() { return *job_; }
  void rethrow_of_caller() const {
    if (thrown_by_caller_) std::rethrow_exception(thrown_by_caller_);
  }

 private:
  /// Returns the answer of a caller's callback; false after an exception, which leaves translate unchanged.
  template <typename Callback>
  bool answer_of(const Callback& callback) {
    try {
      return callback();
    } catch (...) {
      thrown_by_caller_ = std::current_exception();
      return false;
    }
  }

  LineTranslator translator_;
  DecodingConfig decoding_;
  std::shared_ptr<const GlossaryPhrases> glossary_;
  TranslationRequest request_;
  TranslationHooks hooks_;
  std::exception_ptr thrown_by_caller_;
  std::optional<TranslationJob> job_;
};

std::vector<Translation> Translator::run(std::span<const std::string> lines,
                                         std::span<const TranslationOptions> options) const {
  std::list<Call> calls;
  const auto size = options.size() == 1 ? lines.size() : 1;
  for (std::size_t i = 0; i < options.size(); ++i) {
    try {
      with_public_errors([&] { calls.emplace_back(*impl_, lines.subspan(i * size, size), i * size, options[i]); });
    } catch (const TranslatorUsageError& error) {
      if (options.size() == 1) throw;
      throw TranslatorUsageError("line " + std::to_string(i) + ": " + error.what());
    }
  }
  auto result = with_public_errors([&] {
    std::vector<TranslationJob*> jobs;
    for (auto& call : calls) jobs.push_back(&call.job());
    impl_->lines.runner().run(jobs);
    std::vector<Translation> translations;
    for (auto* const job : jobs)
      for (auto& translation : job->results()) translations.push_back(to_public(std::move(translation)));
    return translations;
  });
  for (const auto& call : calls) call.rethrow_of_caller();
  return result;
}

std::vector<Translation> Translator::translate(std::span<const std::string> lines,
                                               const TranslationOptions& options) const {
  return run(lines, std::span(&options, 1));
}

std::vector<Translation> Translator::translate_each(std::span<const std::string> lines,
                                                    std::span<const TranslationOptions> options) const {
  with_public_errors([&] {
    if (options.size() != lines.size())
      throw UsageError("options: wanted one for each of " + std::to_string(lines.size()) + " lines, got " +
                       std::to_string(options.size()));
  });
  return run(lines, options);
}

Glossary Translator::prepare(std::span<const GlossaryEntry> entries) const {
  Glossary glossary;
  glossary.phrases_ = with_public_errors([&] { return make_glossary(entries, *impl_->tokenizers.second); });
  glossary.tokenizer_ = impl_->tokenizers.second;
  return glossary;
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
