#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "interchange/import/import_report.h"
#include "interchange/import/import_settings.h"
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

}  // namespace gloss
