#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "interchange/import/imported_model.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/tokenizer_config.h"

namespace gloss {

/// The vocabulary of a side and the SentencePiece model that cuts its lines.
struct ImportedVocabulary {
  std::vector<std::string> pieces = {};                       ///< by the other program's rows
  SpecialRows specials = {};                                  ///< as far as the files have them
  PieceRows rows = {};                                        ///< of gloss's pieces
  std::map<std::string, std::int64_t> languages = {};         ///< rows of tags, besides those of OPUS-MT (">>deu<<")
  std::string sentencepiece = {};                             ///< bytes
  std::string sentencepiece_file = {}, vocabulary_file = {};  ///< printable names
};

/// Sets whether the languages share a tokenizer, or only its ids. Refuses two vocabularies if all embeddings are tied;
/// `tie_key` is the key that ties them, for messages.
void set_sharing(ImportedModel& model, const ImportedVocabulary& source, const ImportedVocabulary& target,
                 const std::string& tie_key);

/// Adds the tokenizers under their tensors' names, and their descriptions to the report; set_sharing comes first. A row
/// without a piece gets an invented name, and a piece without a row is left out. Pieces of the SentencePiece model that
/// the vocabulary lacks are taken out of it, so that lines are cut without them; more than a few per cent of them are
/// refused unless the settings allow it. Throws ModelError if vocabulary or SentencePiece model are impossible.
void add_tokenizers(ImportedModel& model, const ImportSettings& settings, const ImportedVocabulary& source,
                    const ImportedVocabulary& target, MappedVocabulary::Normalizer normalizer);

/// Stores the languages of the settings as those of the model. Throws UsageError with the key
/// "source_language" or "target_language" if the model has language tags, but none for this language.
void set_languages(ImportedModel& model, const ImportSettings& settings);

}  // namespace gloss
