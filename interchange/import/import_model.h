#pragma once

#include <cstdint>
#include <filesystem>

#include "interchange/import/import_report.h"
#include "model/storage/weight_precision.h"

namespace gloss {

/// Compares a model of another program with the features that gloss supports, without writing files. The report has
/// each reason why it cannot be imported. Throws ModelError if a file is damaged, UsageError if the path is no such
/// model; IoError.
ImportReport check_import(const ImportSettings& settings);

/// Writes a model of another program as a model file of gloss with matrices in `precision`. Matrices that are int8
/// there stay as they are if `precision` is int8. Throws ModelError with all reasons of check_import, and as
/// check_import; UsageError if `output` is one of the model's files.
ImportReport import_model(const ImportSettings& settings, WeightPrecision precision,
                          const std::filesystem::path& output);

}  // namespace gloss
