#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/text_size.h"
#include "run/config/run_config.h"
#include "run/config/text_defaults.h"
#include "run/config/training_texts.h"

namespace gloss {

/// Sources of a run's configuration.
struct RunFileSource {
  std::filesystem::path path = {};              ///< the run file; empty: only `data_files` and `overrides`
  std::span<const std::string> overrides = {};  ///< "dotted.key=value"; the value is JSON, or else a string
  /// Keys of `data` and their files, relative to the working directory. They replace the run file's values.
  std::span<const std::pair<std::string, std::filesystem::path>> data_files = {};
  /// Folder of the run to resume, or empty. Open keys whose defaults depend on the text take the values of its
  /// config.json, and so do the keys of a missing model to start from.
  std::filesystem::path run_folder = {};
  /// Folder of relative paths; by default that of the run file, or without a run file the working directory.
  std::optional<std::filesystem::path> base = {};
};

/// A configuration that was read, and the defaults that were chosen for it.
struct RunFile {
  RunConfig config;
  std::vector<ChosenDefault> chosen = {};     ///< from the training text
  TextSize text = {};                         ///< size of the text for which they were chosen
  std::shared_ptr<TrainingTexts> texts = {};  ///< the training texts, if they were read for `text`
};

/// Reads a run's configuration and fills in open keys. Paths in the result are absolute.
/// - A model to start from gives its values (complete_from()).
/// - If "defaults" is "text" and keys are open, the training text is read once and they are chosen from its size
///   (text_defaults.h). If the text cannot be read, the fixed defaults remain; the run itself reports the error.
/// - Open keys data.source_language and data.target_language come from the names of the training files.
///
/// Throws UsageError if the file is missing, is not strict JSON, or has an unknown key or a wrong value; IoError if it
/// cannot be read; DataError and ModelError for the model to start from; Stopped after a signal.
RunFile read_run_file(const RunFileSource& source);

/// Reads the configuration only. Throws as read_run_file.
RunConfig read_run_config(const std::filesystem::path& path, std::span<const std::string> overrides,
                          const std::filesystem::path& run_folder = {});

/// Returns the values that were chosen for a text of this size, one line for each reason; none if nothing was chosen.
std::vector<std::string> chosen_lines(const std::vector<ChosenDefault>& defaults, const TextSize& text);

}  // namespace gloss
