#pragma once

#include <filesystem>

#include "app/options/command_options.h"
#include "interchange/export/export_format.h"

namespace gloss {

/// Options of `gloss export`.
struct ExportOptions {
  CommonOptions common;
  std::filesystem::path model, output;
  ExportFormat format = ExportFormat::kCtranslate2;
  WeightPrecision precision = WeightPrecision::kFloat32;
  bool overwrite = false;
};

}  // namespace gloss
