#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gloss {

/// Returns the command that continues the run in `folder`, such as "gloss train-translate --resume runs/x --threads 1".
/// `options` is empty or begins with a space.
std::string resume_command(const std::filesystem::path& folder, const std::string& options = "");

/// Returns the path and the size of the model of a finished run, and the commands that translate with
/// it and show the training.
std::vector<std::string> finished_lines(const std::filesystem::path& folder, const std::filesystem::path& model_file);

/// Returns the path for a shell: in quotation marks if it has special characters.
std::string shell_quoted(const std::filesystem::path& path);

}  // namespace gloss
