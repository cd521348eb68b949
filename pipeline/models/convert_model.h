#pragma once

#include <cstdint>
#include <filesystem>

#include "model/storage/stored_weights.h"

namespace gloss {

struct FileSizes {
  std::uintmax_t before = 0, after = 0;  ///< bytes
};

/// Writes a model file again with its matrices in `precision`; all else stays as it stands. What was rounded before is
/// not sharper after. Throws UsageError where the output is the model itself; ModelError as read_model_file; IoError.
FileSizes convert_model(const std::filesystem::path& file_or_folder, WeightPrecision precision,
                        const std::filesystem::path& output);

}  // namespace gloss
