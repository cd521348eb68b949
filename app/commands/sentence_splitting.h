#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/input/translation_input.h"
#include "app/options/document_options.h"
#include "app/options/translate_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/sentences/sentence_splitter.h"
#include "documents/model_sentence_translator.h"
#include "documents/unit_translator.h"
#include "translation/glossary.h"
#include "translation/models/translation_ensemble.h"

namespace gloss {

/// Returns the splitter of `--srx`, or gloss's own of a language. Throws UsageError and DataError.
std::shared_ptr<const SentenceSplitter> make_splitter(const SentenceOptions& options, const std::string& language);

/// Translates the input in paragraphs (`--split-sentences`) and returns the exit code. Throws UsageError for options
/// that describe translations of lines.
ExitCode translate_paragraphs(const TranslateOptions& options, TranslationInput& source, OutputFile& results,
                              const UnitTranslator& translator, InputProgress& progress, std::size_t lines_at_once);

/// Reads a glossary: TBX or CSV by the ending of its name, else lines with tabs. Throws UsageError, DataError.
TermList read_terms(const std::filesystem::path& file, const Languages& languages);
/// Returns whether a glossary is TBX or CSV, which name languages.
bool names_languages(const std::filesystem::path& glossary);

/// Loads models for documents. The languages that the command line names need no tags. Throws as load_models.
TranslationEnsemble load_document_models(const std::vector<std::filesystem::path>& models, const Languages& given,
                                         at::Device device);
/// Returns the languages of a model, or those that the command line names.
Languages languages_of(const TranslationEnsemble& models, const Languages& given);

/// Returns the translator of sentences, which stops on signals. Warns of models without attention to the source. Throws
/// UsageError for draws, and as read_terms.
ModelSentenceTranslator sentence_translator(const LineTranslator& translator, const TranslationEnsemble& models,
                                            const GivenSettings& decoding,
                                            const std::optional<std::filesystem::path>& glossary,
                                            const Languages& languages);

}  // namespace gloss
