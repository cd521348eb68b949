#pragma once

#include <filesystem>
#include <vector>

#include "app/options/command_options.h"

namespace gloss {

/// Options of `gloss average`.
struct AverageOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> files;
  std::filesystem::path output;
  bool overwrite = false;
};

}  // namespace gloss
