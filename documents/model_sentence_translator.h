#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "decoding/decoding_config.h"
#include "documents/sentence_translator.h"
#include "translation/glossary_phrases.h"
#include "translation/line_translator.h"
#include "translation/models/translator_config.h"
#include "translation/translation_request.h"

namespace gloss {

/// Translates sentences by a model, with links from its attention.
class ModelSentenceTranslator final : public SentenceTranslator {
 public:
  /// `glossary` holds phrases and their required translations (TermList). Translations have links if `translator`
  /// aligns and the model `has_attention` to its source. Throws UsageError with sampling, and as GlossaryPhrases.
  ModelSentenceTranslator(LineTranslator translator, DecodingConfig decoding,
                          std::vector<std::pair<std::string, std::string>> glossary = {}, TranslationHooks hooks = {},
                          bool has_attention = true);

  std::vector<SentenceTranslation> translate(std::span<const SentenceRequest> sentences) const override;
  /// Returns the candidates of each sentence, at most n_best of the decoding, best first; at least one.
  std::vector<std::vector<SentenceTranslation>> candidates(std::span<const SentenceRequest> sentences) const;
  bool fits(std::string_view sentence) const override;
  bool can_spell(std::string_view text) const override;
  std::vector<TextSpan> phrases(std::string_view text) const override;

 private:
  LineTranslator translator_;
  DecodingConfig decoding_;
  std::optional<GlossaryPhrases> glossary_;
  TranslationHooks hooks_;
  bool aligns_;
};

/// Returns the languages of a call that the tags of a model name, or that must be those that it records. A model that
/// has and records none is of any language: the languages given are those of the document only.
Languages languages_of_tags(const Languages& given, const TranslatorConfig& config);

/// Returns a candidate of a translation, with the links of its pieces. `line` is the line that was translated.
SentenceTranslation sentence_of(std::string_view line, const LineTranslation& found, std::size_t candidate = 0);

}  // namespace gloss
