#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/run/read_run_file.h"

namespace gloss {

/// The values that were chosen from the training text, one line for each reason; no line where none was chosen.
std::vector<std::string> chosen_lines(const RunFile& run_file);

/// Returns the command that continues the run in `folder`, such as "gloss train-translate --resume runs/x --threads 1".
/// `options` is empty or begins with a space.
std::string resume_command(const std::filesystem::path& folder, const std::string& options = "");

/// Where the model of a finished run is, its size, and the command that translates with it.
std::vector<std::string> finished_lines(const std::filesystem::path& folder, const std::filesystem::path& model_file);

/// The path as a shell takes it: in quotation marks where it has characters with a meaning of their own.
std::string shell_quoted(const std::filesystem::path& path);

}  // namespace gloss
