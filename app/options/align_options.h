#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "alignment/align_texts.h"
#include "app/options/command_options.h"

namespace gloss {

/// Options of `gloss align`.
struct AlignOptions {
  CommonOptions common;
  TextAlignment job;                              ///< without tokenizers and threads
  std::optional<std::filesystem::path> model;     ///< whose tokenizers cut the texts
  std::vector<std::filesystem::path> tokenizers;  ///< one for both texts, or one for each
  bool overwrite = false;
};

}  // namespace gloss
