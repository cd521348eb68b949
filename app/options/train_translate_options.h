#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/options/given_settings.h"

namespace gloss {

/// A text of the run that is given by an option, which sets a key of the section `data`.
struct DataFileOption {
  const Setting* setting;
  std::optional<std::filesystem::path> file = {};
};
/// The declared options, the training texts first.
std::vector<DataFileOption> data_file_options();

/// Options of `gloss train-translate`.
struct TrainTranslateCommandOptions {
  CommonOptions common;
  std::optional<std::filesystem::path> config;
  std::vector<DataFileOption> data_files = data_file_options();
  std::optional<std::filesystem::path> start_from;
  std::vector<std::string> overrides;
  std::optional<std::filesystem::path> out;
  GivenSettings given;  ///< keys outside of sections
  bool resume = false;
  std::optional<std::filesystem::path> resume_folder;
  bool overwrite = false;
  std::size_t samples = 1;
  bool plain = false;
  std::int64_t processes = 1;
};

}  // namespace gloss
