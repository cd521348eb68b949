#pragma once

#include <string>

#include "interchange/export/output_folder.h"
#include "interchange/refusals.h"
#include "model/storage/weight_precision.h"
#include "translation/models/translation_model.h"

namespace gloss {

/// Returns the reasons why CTranslate2 cannot compute the model; empty if it can.
Refusals ctranslate2_refusals(const TranslationModel& model);

/// Writes the files of a CTranslate2 model: model.bin with its matrices in `precision`, config.json, the vocabularies
/// and the SentencePiece models, which the user's program calls. Returns the text of README.md. The model must not have
/// been refused. Throws as write_ctranslate2_file.
std::string export_ctranslate2(const TranslationModel& model, WeightPrecision precision, OutputFolder& folder);

}  // namespace gloss
