#pragma once

#include <cstdint>
#include <filesystem>

#include "model/storage/stored_weights.h"

namespace gloss {

struct FileSizes {
  std::uintmax_t before = 0, after = 0;  ///< bytes
};

/// Writes a model file again with its matrices in `precision`; everything else is unchanged. Values that were rounded
/// before do not become more exact. Throws UsageError if the output is the model itself; ModelError as read_model_file;
/// IoError.
FileSizes convert_model(const std::filesystem::path& file_or_folder, WeightPrecision precision,
                        const std::filesystem::path& output);

}  // namespace gloss
