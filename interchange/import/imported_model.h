#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interchange/import/import_report.h"
#include "interchange/import/imported_weights.h"
#include "translation/models/translator_config.h"

namespace gloss {

/// A model of another program in gloss's form, before its weights are read.
struct ImportedModel {
  ImportReport report;
  TranslatorConfig config;
  std::vector<std::filesystem::path> files;        ///< all that were read
  std::map<std::string, std::string> tokenizers;   ///< bytes by the names of their tensors
  Json provenance;                                 ///< description of the files and their options
  std::shared_ptr<const ImportedWeights> weights;  ///< null if refusals leave no network to compare with
};

/// Opens a model of Marian: a .npz or .bin file with its vocabularies, or an OPUS-MT package that is unpacked in a
/// folder. Everything that gloss does not support becomes a refusal of the report. Throws ModelError if a file is
/// damaged; IoError; UsageError if a language of the settings has no tag in the vocabulary.
ImportedModel import_marian(const ImportSettings& settings);

/// Opens a directory that Hugging Face's transformers saved: config.json, model.safetensors or its shards, and the
/// files of the tokenizers. Supported are MarianMT, Pegasus, M2M100 and NLLB. Throws as import_marian.
ImportedModel import_huggingface(const ImportSettings& settings);

}  // namespace gloss
