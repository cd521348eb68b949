#pragma once

#include <string>

#include "interchange/export/output_folder.h"
#include "interchange/refusals.h"
#include "model/storage/weight_precision.h"
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
std::string marian_readme(const TranslationModel& model);

}  // namespace gloss
