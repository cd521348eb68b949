#pragma once

#include "data/data_config.h"
#include "data/text_files.h"

namespace gloss {

/// Checks the files of a run before the first is read. Each must be named and exist, and the two sides of a training
/// text must be two files. Throws UsageError naming the key, or DataError for a missing file.
void expect_data_files(const DataConfig& data);

/// Reads a text once and checks it. Throws as expect_aligned(const ScannedTexts&) and scan_texts, and Stopped after a
/// signal.
void expect_aligned(const TextFiles& text);

}  // namespace gloss
