#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/config/json.h"
#include "interchange/export/output_folder.h"
#include "interchange/model_family.h"
#include "interchange/refusals.h"
#include "model/storage/weight_precision.h"
#include "tokenizer/mapped_tokenizer.h"
#include "translation/models/translation_model.h"

namespace gloss {

// For each program: the reasons why it does not compute a model whose matrices are in `precision` (empty if it does),
// and a function that writes the files and returns the text of README.md. The model must not have been refused. The
// latter functions throw IoError.

/// CTranslate2.
Refusals ctranslate2_refusals(const TranslationModel& model, WeightPrecision precision);
/// Writes model.bin, config.json, the vocabularies and the SentencePiece models, which the user's program calls. Throws
/// as write_ctranslate2_file.
std::string export_ctranslate2(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder);

/// Hugging Face's transformers. PegasusForConditionalGeneration computes pre-norm with final norms and one matrix for
/// all embeddings, MarianMTModel post-norm without final norms.
Refusals huggingface_refusals(const TranslationModel& model, WeightPrecision precision);
/// Writes a folder for from_pretrained: config.json, generation_config.json with the search options of the run file,
/// model.safetensors, the tokenizers as tokenizer.json, and gloss's own beside them.
std::string export_huggingface(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder);

/// Marian. It has its own frequencies of positions and epsilon of layer norms, and starts from a zero vector: only
/// models trained with these are exact. Matrices are float32.
Refusals marian_refusals(const TranslationModel& model, WeightPrecision precision);
/// Writes model.npz with Marian's options inside, decoder.yml with the search options of the run file, the vocabularies
/// and the SentencePiece models. Throws UsageError if gloss was built without libzip.
std::string export_marian(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder);

/// Returns the maximum length of a translation that decoder.yml sets, in lengths of its source: that of the model, or a
/// large one, as Marian cannot do without.
inline double marian_length_factor(const DecodingConfig& config) {
  return config.max_length_factor > 0 ? config.max_length_factor : 20;
}

// The texts of README.md. Each shows how another program translates with the search options of the model's run file,
// and when its answers can differ from `gloss translate`. It has one block of code, a program that translates lines of
// the standard input.

std::string ctranslate2_readme(const TranslationModel& model, WeightPrecision precision);
/// `model_class` is the class of the model, as "MarianMTModel".
std::string huggingface_readme(const TranslationModel& model, WeightPrecision precision,
                               const std::string& model_class);
std::string marian_readme(const TranslationModel& model, WeightPrecision precision);

/// Returns the number of positions in a file for a program that fails beyond the last one. It suffices for the run file
/// of the model, and is at least 2048.
std::int64_t exported_positions(const TranslationModel& model);

/// Returns the tokenizers by the names of their files: tokenizer.model, or source_tokenizer.model and
/// target_tokenizer.model.
std::vector<std::pair<std::string, const Tokenizer*>> named_tokenizers(const TranslationModel& model);

/// Returns the tokenizer if it has ids of its own, otherwise null.
const MappedTokenizer* as_mapped(const Tokenizer& tokenizer);

/// Returns the spellings of the pieces by id.
std::vector<std::string> pieces_by_id(const Tokenizer& tokenizer);

/// Returns the bytes of the SentencePiece model that cuts lines for a tokenizer.
std::string sentencepiece_bytes(const Tokenizer& tokenizer);

/// Compares the run file of a model with the values that another program can compute. All reasons are collected.
class ExportChecks {
 public:
  explicit ExportChecks(const TranslationModel& model);

  /// Adds a reason unless the key of section `model` has one of these values.
  void expect(std::string_view key, const std::vector<Json>& wanted);
  /// Adds a reason for an activation that the other program lacks.
  void expect_activation(std::optional<std::string_view> ActivationNames::*program);
  /// Adds a reason if the decoder starts with a zero vector, but the row of bos, which replaces it, is not zero.
  void expect_zero_start();
  /// Adds a reason for a tokenizer that rewrites lines before SentencePiece cuts them; no other program does this.
  void expect_no_normalizer();
  /// Adds a reason for a model of several languages whose default languages are not set; the exported folder is for
  /// these.
  void expect_languages();
  /// Adds a reason for each piece that is spelled as an earlier one: the other program finds pieces by their spelling.
  /// `tokenizer` is the tokenizer's name in messages.
  void expect_distinct(const std::string& tokenizer, const std::vector<std::string>& pieces);
  /// Adds a reason for a tokenizer whose pieces have other ids than in its SentencePiece model.
  void expect_sentencepiece();

  Refusals refusals;

 private:
  const TranslationModel* model_;
  Json config_;  ///< the section `model`
};

}  // namespace gloss
