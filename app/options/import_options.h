#pragma once

#include <filesystem>
#include <optional>

#include "app/options/command_options.h"
#include "interchange/import/import_settings.h"

namespace gloss {

/// Options of `gloss import`.
struct ImportOptions {
  CommonOptions common;
  ImportSettings settings;
  std::optional<std::filesystem::path> output;  ///< needed unless `check`
  WeightPrecision precision = WeightPrecision::kFloat32;
  bool check = false;
  bool json = false;
  bool overwrite = false;
};

}  // namespace gloss
