#pragma once

#include <string>

#include "interchange/export/output_folder.h"
#include "interchange/refusals.h"
#include "model/storage/weight_precision.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// Returns the reasons why no class of Hugging Face's transformers computes the model in this precision; empty if one
/// does. PegasusForConditionalGeneration computes pre-norm with final norms and one matrix for all embeddings,
/// MarianMTModel post-norm without final norms.
Refusals huggingface_refusals(const TranslationModel& model, WeightPrecision precision);

/// Writes a folder for from_pretrained: config.json, generation_config.json with the search options of the run file,
/// model.safetensors, the tokenizers as tokenizer.json, and gloss's own beside them. Returns the text of README.md. The
/// model must not have been refused. Throws IoError.
std::string export_huggingface(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder);

}  // namespace gloss
