#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/command_options.h"

namespace gloss {

/// Options of `gloss doctor`.
struct DoctorOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> config, out;
  std::vector<std::string> overrides;
  bool json = false;
};

}  // namespace gloss
