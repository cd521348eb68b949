#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options/command_options.h"
#include "app/options/given_settings.h"

namespace gloss {

/// Options of `gloss serve`.
struct ServeOptions {
  CommonOptions common;
  std::vector<std::string> models;  ///< [SOURCE-TARGET=]PATH
  std::optional<std::filesystem::path> config;
  GivenSettings settings;  ///< in place of those of `config`
  std::optional<WeightPrecision> precision;
  bool plain = false;
};

}  // namespace gloss
