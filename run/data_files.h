#pragma once

#include <filesystem>
#include <string>

#include "data/aligned_reader.h"
#include "data/data_config.h"

namespace gloss {

/// Checks the files of a run before the first is read. Each must be named and exist, and the two sides of a training
/// text must be two files. Throws UsageError naming the key, or DataError for a missing file.
void expect_data_files(const DataConfig& data);

/// Throws UsageError if two sides of a text are one file. The names are keys or paths, for the message.
void expect_two_files(const std::filesystem::path& source, const std::filesystem::path& target,
                      const std::string& source_name, const std::string& target_name);

/// Reads a text once and checks it. Throws as expect_aligned(const ScannedTexts&) and scan_texts, and Stopped after a
/// signal.
void expect_aligned(const TextFiles& text);

}  // namespace gloss
