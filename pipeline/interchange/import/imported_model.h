#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/config/run_config.h"
#include "pipeline/interchange/import/import_report.h"
#include "pipeline/interchange/import/import_settings.h"
#include "pipeline/interchange/import/imported_weights.h"

namespace gloss {

/// A model of another program in gloss's form, before its weights are read.
struct ImportedModel {
  ImportReport report;
  RunConfig config;
  std::vector<std::filesystem::path> files;        ///< all that were read
  std::map<std::string, std::string> tokenizers;   ///< bytes by the names of their tensors
  Json provenance;                                 ///< description of the files and their options
  std::shared_ptr<const ImportedWeights> weights;  ///< null if refusals leave no network to compare with
};

}  // namespace gloss
