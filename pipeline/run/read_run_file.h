#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/run/run_config.h"
#include "pipeline/run/text_defaults.h"
#include "pipeline/run/training_texts.h"

namespace gloss {

/// Sources of a run's configuration.
struct RunFileSource {
  std::filesystem::path path = {};              ///< the run file; empty: `data_files` and `overrides` alone
  std::span<const std::string> overrides = {};  ///< "dotted.key=value"; the value is JSON, or else a string
  /// Keys of `data` and their files, relative to the working directory. They replace those of the run file.
  std::span<const std::pair<std::string, std::filesystem::path>> data_files = {};
  /// Folder of a run that is resumed, or empty. Open keys whose defaults depend on the text take the values of its
  /// config.json. A run whose model to start from is gone is completed from there, too.
  std::filesystem::path run_folder = {};
  /// Folder of relative paths; by default the run file's own, without a run file the working directory.
  std::optional<std::filesystem::path> base = {};
};

struct RunFile {
  RunConfig config;
  std::vector<ChosenDefault> chosen = {};     ///< from the training text
  TextSize text = {};                         ///< that they were chosen for
  std::shared_ptr<TrainingTexts> texts = {};  ///< the training texts, if they were read for `text`
};

/// Reads a run's configuration, completed from the model that it starts from, if there is one
/// (pipeline/run/start_model.h), and from the training text, which is read once where "defaults" is "text" and keys are
/// open (text_defaults.h). A training text that cannot be read leaves the fixed defaults: the run itself reports the
/// error. Paths come out absolute. data.source_language and data.target_language are taken from the names of the
/// training files where they are open. Throws UsageError where the file is missing, is not strict JSON, or names an
/// unknown key or a wrong value; IoError where it cannot be read; DataError and ModelError for the model to start from;
/// Stopped where a signal asks for an end.
RunFile read_run_file(const RunFileSource& source);

/// The configuration alone.
RunConfig read_run_config(const std::filesystem::path& path, std::span<const std::string> overrides,
                          const std::filesystem::path& run_folder = {});

}  // namespace gloss
