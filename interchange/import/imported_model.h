#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interchange/import/import_model.h"
#include "interchange/import/imported_weights.h"
#include "model/shortlist.h"
#include "tokenizer/mapped_tokenizer.h"
#include "tokenizer/tokenizer_config.h"
#include "translation/models/translator_config.h"

namespace gloss {

/// A model of another program in gloss's form, before its weights are read.
struct ImportedModel {
  ImportReport report;
  TranslatorConfig config;
  std::vector<std::filesystem::path> files;        ///< all that were read
  std::map<std::string, std::string> tokenizers;   ///< bytes by the names of their tensors
  Json provenance;                                 ///< description of the files and their options
  std::map<std::string, float> input_scales = {};  ///< ModelDescription::input_scales
  std::shared_ptr<const Shortlist> shortlist = nullptr;
  std::shared_ptr<const ImportedWeights> weights;  ///< null if refusals leave no network to compare with
};

/// Opens a model of Marian: a .npz or .bin file with its vocabularies, or an OPUS-MT package that is unpacked in a
/// folder. Everything that gloss does not support becomes a refusal of the report. Throws ModelError if a file is
/// damaged; IoError; UsageError if a language of the settings has no tag in the vocabulary.
ImportedModel import_marian(const ImportSettings& settings);

/// Opens a directory that Hugging Face's transformers saved: config.json, model.safetensors or its shards, and the
/// files of the tokenizers. Supported are MarianMT, Pegasus, M2M100 and NLLB. Throws as import_marian.
ImportedModel import_huggingface(const ImportSettings& settings);

/// Opens a model of CTranslate2: a folder with model.bin, its vocabularies and SentencePiece models, or an Argos
/// package, which is a ZIP archive of such a folder, or is unpacked. Throws as import_marian; UsageError for an archive
/// if gloss was built without libzip.
ImportedModel import_ctranslate2(const ImportSettings& settings);
/// Returns whether a folder has the files of a model of CTranslate2.
bool is_ctranslate2(const std::filesystem::path& folder);

/// The vocabulary of a side and the SentencePiece model that cuts its lines.
struct ImportedVocabulary {
  std::vector<std::string> pieces = {};                       ///< by the other program's rows
  SpecialRows specials = {};                                  ///< as far as the files have them
  PieceRows rows = {};                                        ///< of gloss's pieces
  std::map<std::string, std::int64_t> languages = {};         ///< rows of tags, besides those of OPUS-MT (">>deu<<")
  bool has_source_eos = true;                                 ///< sources end with eos
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

/// Returns the language of the tag "__de__" or "deu_Latn"; empty for another piece.
std::string tag_language(const std::string& piece);

/// Stores the languages of the settings as those of the model. Throws UsageError with the key
/// "source_language" or "target_language" if the model has language tags, but none for this language.
void set_languages(ImportedModel& model, const ImportSettings& settings);

}  // namespace gloss
