#pragma once

#include <filesystem>

#include "app/options/command_options.h"

namespace gloss {

/// Options of `gloss convert`.
struct ConvertOptions {
  CommonOptions common;
  std::filesystem::path model, output;
  WeightPrecision precision = WeightPrecision::kFloat32;
  bool overwrite = false;
};

}  // namespace gloss
