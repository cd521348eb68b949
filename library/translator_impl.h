#pragma once

#include <gloss/translator.h>

#include "documents/model_sentence_translator.h"
#include "library/public_errors.h"
#include "tokenizer/language_tags.h"
#include "translation/line_translator.h"
#include "translation/models/translator_config.h"

namespace gloss {

/// Calls `work` and converts its exceptions to the public ones of the same kind.
template <typename Work>
auto with_public_errors(const Work& work) {
  try {
    return work();
  } catch (...) {
    throw_public_error();
  }
}

/// The parts of model files that translating needs.
struct Translator::Impl {
  LineTranslator lines;  ///< without language tags
  TokenizerPair tokenizers;
  TranslatorConfig config;

  /// Returns a translator with the tags of languages.
  LineTranslator translator(const Languages& given) const {
    const auto [source, target] = with_tags(tokenizers, config, given, "");
    return lines.with_tokenizers(source, target);
  }
  /// Returns a translator for documents, whose languages need no tags.
  LineTranslator document_translator(const TranslationOptions& options) const {
    return translator(languages_of_tags({options.source_language, options.target_language}, config));
  }
  /// Returns the languages of a call, or those of the model.
  Languages languages(const TranslationOptions& options) const {
    return {options.source_language.empty() ? config.languages.source : options.source_language,
            options.target_language.empty() ? config.languages.target : options.target_language};
  }
};

}  // namespace gloss
