#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include <c10/core/Device.h>

#include "app/options/command_options.h"
#include "common/files/same_file.h"
#include "common/system/process_place.h"
#include "translation/models/translation_ensemble.h"

namespace gloss {

/// The device and the number of threads of a command.
struct Machine {
  at::Device device;
  int threads;
};

/// The files of one command line, except for --log-json and the standard output.
struct CommandFiles {
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs = {};
};
/// Returns the standard input as an input of the command.
NamedFile standard_input();
/// Returns the files of `--model`.
std::vector<NamedFile> model_inputs(const std::vector<std::filesystem::path>& models);

/// Sets up log, threads and memory. First compares `files`, the log file and the standard output. `place`: of this
/// process among several; each takes another CUDA device. Throws UsageError if an output is an input or another output,
/// or if the device does not exist, and IoError if the log file cannot be written.
Machine set_up(const CommonOptions& common, const CommandFiles& files,
               const std::optional<ProcessPlace>& place = std::nullopt);

/// Loads the models of `--model`, which translate between `languages`. Throws as load_translation_ensemble, by the name
/// of the option.
TranslationEnsemble load_models(const std::vector<std::filesystem::path>& models, const Languages& languages,
                                at::Device device);

/// Warns once if `--precision` has no effect on some of the models.
void warn_of_ignored(std::optional<WeightPrecision> precision, const TranslationEnsemble& models);

}  // namespace gloss
