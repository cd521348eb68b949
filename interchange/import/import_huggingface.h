#pragma once

#include "interchange/import/import_settings.h"
#include "interchange/import/imported_model.h"

namespace gloss {

/// Opens a directory that Hugging Face's transformers saved: config.json, model.safetensors or its shards, and the
/// files of the tokenizers. Supported are MarianMT, Pegasus, M2M100 and NLLB. Throws as import_marian.
ImportedModel import_huggingface(const ImportSettings& settings);

}  // namespace gloss
