#pragma once

#include <memory>
#include <string>

#include "app/input/translation_input.h"
#include "app/options/document_options.h"
#include "app/options/translate_options.h"
#include "app/output/standard_output.h"
#include "common/error.h"
#include "common/sentences/sentence_splitter.h"
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
/// Returns the phrases of `--glossary` and their translations; none without a file. Of TBX and CSV the
/// terms of these languages. Throws UsageError, DataError.
std::vector<std::pair<std::string, std::string>> glossary_entries(const std::optional<std::filesystem::path>& file,
                                                                  const Languages& languages);

/// Returns the languages of a model, or those that the command line names.
Languages languages_of(const TranslationEnsemble& models, const Languages& given);

}  // namespace gloss
