#pragma once

#include <filesystem>
#include <vector>

#include <c10/core/Device.h>

#include "app/options/command_options.h"
#include "common/files/same_file.h"

namespace gloss {

/// Device and threads of a command.
struct Machine {
  at::Device device;
  int threads;
};

/// The files of one command line, --log-json and the standard output left out.
struct CommandFiles {
  std::vector<NamedFile> inputs;
  std::vector<NamedFile> outputs = {};
};
/// The standard input as an input of the command.
NamedFile standard_input();
/// The files of `--model`.
std::vector<NamedFile> model_inputs(const std::vector<std::filesystem::path>& models);

/// Sets up log, threads and memory. Before that it compares `files`, the log file and the standard output: no output
/// may be an input or another output. Throws UsageError for that, or where the device is not there, IoError for the log
/// file.
Machine set_up(const CommonOptions& common, const CommandFiles& files);

}  // namespace gloss
