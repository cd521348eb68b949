#pragma once

#include <string>
#include <string_view>

#include "interchange/import/imported_model.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// Adds a tokenizer under its tensor's name, and its description to the report; `sentencepiece_file` and
/// `vocabulary_file` are printable names. The settings of the section `tokenizer` are those of the last one that is
/// added. Pieces of the SentencePiece model that the vocabulary lacks are taken out of it, so that lines are cut
/// without them; more than a few per cent of them are refused unless the settings allow it. Throws ModelError if
/// vocabulary or SentencePiece model are impossible.
void add_tokenizer(ImportedModel& model, const ImportSettings& settings, const std::string& tensor,
                   const MappedVocabulary& vocabulary, std::string_view sentencepiece,
                   const std::string& sentencepiece_file, const std::string& vocabulary_file);

/// Sets whether both languages share a tokenizer, or only its ids. `same_table`: their vocabularies are equal.
/// `same_model`: their SentencePiece models are.
void set_sharing(TokenizerConfig& config, bool same_table, bool same_model);

/// Stores the languages of the settings as those of the model. Throws UsageError with the key
/// "source_language" or "target_language" if the model has language tags, but none for this language.
void set_languages(ImportedModel& model, const ImportSettings& settings);

}  // namespace gloss
