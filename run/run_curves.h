#pragma once

#include <filesystem>
#include <span>

#include "common/config/json.h"

namespace gloss {

/// Returns the document "gloss.run" of docs/explanation_format.md from log.jsonl and lens.jsonl of run folders:
/// training and validation, samples, and the items of lens.sentences. A run may be unfinished or killed: lines that are
/// not complete are left out, and of repeated steps the last ones count. Throws UsageError if a folder has no log,
/// DataError if a file is damaged, IoError.
Json run_curves(std::span<const std::filesystem::path> folders);

}  // namespace gloss
