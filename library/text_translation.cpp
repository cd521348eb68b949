#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/error.h"
#include "common/sentences/srx.h"
#include "common/text/utf8.h"
#include "documents/model_sentence_translator.h"
#include "documents/translate_document.h"
#include "documents/translation_memory.h"
#include "library/search_options.h"
#include "library/translator_impl.h"

namespace gloss {
namespace {

SentenceMode mode_of(SentenceSplit split) {
  switch (split) {
    case SentenceSplit::kLine:
      return SentenceMode::kLine;
    case SentenceSplit::kWrapped:
      return SentenceMode::kWrapped;
    default:
      return SentenceMode::kParagraph;
  }
}

void expect_no_line_options(const TranslationOptions& search, bool has_prepared_glossary) {
  const auto refuse = [](const char* option) {
    throw UsageError(std::string("search.") + option + ": has no use for texts and documents");
  };
  if (search.n_best != 1) refuse("n_best");
  if (!search.prefixes.empty()) refuse("prefixes");
  if (search.on_token) refuse("on_token");
  if (search.on_result) refuse("on_result");
  if (search.confidence) refuse("confidence");
  if (search.alignment || !search.alignment_from.empty()) refuse("alignment");
  if (search.replace_unknown) refuse("replace_unknown");
  if (has_prepared_glossary) throw UsageError("search.prepared_glossary: wanted none; give the phrases as glossary");
}

/// The objects of a call of translate_text or translate_file.
struct TextCall {
  TextCall(const LineTranslator& translator, const TranslatorConfig& config, const Languages& languages,
           const TextOptions& options)
      : sentences(make_sentences(translator, config, options.search)) {
    if (!options.srx.empty() && options.split == SentenceSplit::kLine)
      throw UsageError("srx: has an effect on text that is split into sentences only");
    auto made = options_for(languages.source, languages.target,
                            options.srx.empty() ? nullptr : srx_splitter(options.srx, languages.source));
    if (!options.memory.empty()) {
      memory.emplace(options.memory, languages.source, languages.target);
      made.known = [this](std::string_view text) { return memory->exact(text); };
    }
    units.emplace(sentences, std::move(made));
    settings = {
        .format = options.format,
        .mode = options.split == SentenceSplit::kParagraph ? std::nullopt : std::optional(mode_of(options.split)),
        .source_language = languages.source,
        .target_language = languages.target,
        .overwrite_translations = options.overwrite_translations};
  }
  TextCall(const TextCall&) = delete;
  TextCall& operator=(const TextCall&) = delete;

  static ModelSentenceTranslator make_sentences(const LineTranslator& translator, const TranslatorConfig& config,
                                                const TranslationOptions& search) {
    std::vector<std::pair<std::string, std::string>> glossary;
    for (const auto& [source, target] : search.glossary) glossary.emplace_back(source, target);
    try {
      return {translator,
              decoding_config(search, config.decoding),
              std::move(glossary),
              {.deadline = search.deadline, .stop = search.stop},
              config.model.has_cross_attention()};
    } catch (const DataError& error) {
      throw UsageError(error.what());  // as in calls with lines
    }
  }

  ModelSentenceTranslator sentences;
  std::optional<TranslationMemory> memory;
  std::optional<UnitTranslator> units;
  DocumentSettings settings;
};

TextTranslation result_of(const UnitCounts& counts, const TranslationOptions& search) {
  TextTranslation result;
  if (counts.left > 0)
    result.status = search.stop.stop_requested() ? Translation::Status::kCancelled : Translation::Status::kDeadline;
  result.units = counts.units;
  result.from_memory = counts.from_memory;
  return result;
}

TextTranslation translate_plain(const std::string& text, const TextCall& call, const TextOptions& options) {
  if (!is_utf8(text)) throw UsageError("text: wanted UTF-8");
  UnitCounts counts;
  auto translation = translate_text(text, mode_of(options.split), *call.units, counts);
  auto result = result_of(counts, options.search);
  result.text = std::move(translation.target.text);
  for (const auto& [target, source, confidence] : translation.sentences)
    result.sentences.push_back({{source.begin, source.end}, {target.begin, target.end}, confidence});
  return result;
}

}  // namespace

std::vector<Translation::Span> split_sentences(const std::string& text, const std::string& language,
                                               SentenceSplit split) {
  return with_public_errors([&] {
    if (!is_utf8(text)) throw UsageError("text: wanted UTF-8");
    std::vector<Translation::Span> sentences;
    for (const auto& [begin, end] : sentence_spans(text, mode_of(split), *rule_splitter(language)))
      sentences.push_back({begin, end});
    return sentences;
  });
}

TextTranslation Translator::translate_text(const std::string& text, const TextOptions& options) const {
  return with_public_errors([&] {
    expect_no_line_options(options.search, options.search.prepared_glossary.phrases_ != nullptr);
    const TextCall call(impl_->document_translator(options.search), impl_->config, impl_->languages(options.search),
                        options);
    if (options.format.empty() || options.format == "txt") return translate_plain(text, call, options);
    std::string translated;
    const auto document = open_text(text, translated, call.settings);
    auto result = result_of(translate_document(*document, *call.units), options.search);
    if (result.complete()) result.text = std::move(translated);
    return result;
  });
}

TextTranslation Translator::translate_file(const std::filesystem::path& input, const std::filesystem::path& output,
                                           const TextOptions& options) const {
  return with_public_errors([&] {
    expect_no_line_options(options.search, options.search.prepared_glossary.phrases_ != nullptr);
    const TextCall call(impl_->document_translator(options.search), impl_->config, impl_->languages(options.search),
                        options);
    const auto document = open_document(input, output, call.settings);
    return result_of(translate_document(*document, *call.units), options.search);
  });
}

}  // namespace gloss
