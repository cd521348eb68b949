#pragma once

#include <filesystem>

#include "app/options/command_options.h"

namespace gloss {

/// Options of `gloss inspect`.
struct InspectOptions {
  CommonOptions common;
  std::filesystem::path file;
  bool json = false;
};

}  // namespace gloss
