#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/options/decoding_options.h"

namespace gloss {

/// Options of `gloss score`.
struct ScoreOptions {
  CommonOptions common;
  std::vector<std::filesystem::path> models;
  std::filesystem::path source, target;
  Languages languages;
  GivenSettings decoding;
  std::optional<WeightPrecision> precision;
  bool plain = false;
  bool json_lines = false;
};

}  // namespace gloss
