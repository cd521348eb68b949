#pragma once

#include <filesystem>
#include <optional>

#include "data/data_config.h"
#include "data/hold_out.h"

namespace gloss {

/// What can be said of the files of a run before the first is read: they are named and there, and the two sides of the
/// training data are two files. Throws UsageError naming the key, DataError.
void expect_data_files(const DataConfig& data);

/// Goes through two texts once and throws unless they are UTF-8 but for one line in a hundred and have equally many
/// lines, and some. Throws DataError, and as LineReader; Stopped where a signal asks for an end.
void expect_aligned(const std::filesystem::path& source, const std::filesystem::path& target);

/// The pairs of the training text that a run validates on, where data.hold_out is set. Logs how many there are, and
/// warns where there is none. Throws as LineReader; Stopped where a signal asks for an end.
std::optional<HoldOut> hold_out(const DataConfig& data);

}  // namespace gloss
