#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/options/command_options.h"
#include "interchange/export/export_model.h"
#include "interchange/import/import_model.h"
#include "model/shortlist.h"

namespace gloss {

/// Options of `gloss average`.
struct AverageOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  bool overwrite = false;
};

/// Options of `gloss convert`.
struct ConvertOptions {
  CommonOptions common;
  std::filesystem::path model, output;
  WeightPrecision precision = WeightPrecision::kFloat32;
  std::optional<std::filesystem::path> lexical_table, calibrate;
  ShortlistSizes shortlist;
  bool overwrite = false;
};

/// Options of `gloss inspect`.
struct InspectOptions {
  CommonOptions common;
  std::filesystem::path file;
  bool json = false;
};

/// Options of `gloss import`.
struct ImportOptions {
  CommonOptions common;
  ImportSettings settings;
  std::optional<std::filesystem::path> output;  ///< needed unless `check`
  std::optional<WeightPrecision> precision;
  bool check = false;
  bool json = false;
  bool overwrite = false;
};

/// Options of `gloss export`.
struct ExportOptions {
  CommonOptions common;
  std::filesystem::path model, output;
  ExportFormat format = ExportFormat::kCtranslate2;
  WeightPrecision precision = WeightPrecision::kFloat32;
  bool overwrite = false;
};

}  // namespace gloss
