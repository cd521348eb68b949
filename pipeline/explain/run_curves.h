#pragma once

#include <filesystem>
#include <span>

#include "common/config/json.h"

namespace gloss {

/// Returns the document "gloss.run" of docs/explanation_format.md: what the logs of run folders say of training and
/// validation, with the samples. A run may still be going on: a line that is not complete yet is left out, and of steps
/// that were repeated after an interruption the last ones count. Throws UsageError if a folder has no log, DataError if
/// the log is damaged, IoError.
Json run_curves(std::span<const std::filesystem::path> folders);

}  // namespace gloss
