#pragma once

#include <filesystem>

#include "data/data_config.h"
#include "data/hold_out.h"

namespace gloss {

/// Checks the files of a run before the first is read: they are named and exist, and the two sides of the training data
/// are two files. Throws UsageError naming the key, DataError.
void expect_data_files(const DataConfig& data);

/// Reads two texts once. Throws as expect_aligned(const ScannedTexts&) and scan_texts; Stopped where a signal asks for
/// an end.
void expect_aligned(const std::filesystem::path& source, const std::filesystem::path& target);

/// Logs how many pairs a run holds out to validate on, and warns where there is none.
void report_hold_out(const HoldOut& held_out);

}  // namespace gloss
