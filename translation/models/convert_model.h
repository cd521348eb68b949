#pragma once

#include <cstdint>
#include <filesystem>

#include "model/storage/stored_weights.h"

namespace gloss {

/// Warns if a model whose matrices are stored in `stored` is written in another precision, and `stored` is rounded.
/// `name` is the name of the model.
void warn_of_rounding(const std::filesystem::path& name, WeightPrecision stored, WeightPrecision precision);

struct FileSizes {
  std::uintmax_t before = 0, after = 0;  ///< bytes
};

/// Writes a model file again with its matrices in `precision`; everything else is unchanged. Values that were rounded
/// before do not become more exact. Throws UsageError if the output is the model itself; ModelError as read_model_file;
/// IoError.
FileSizes convert_model(const std::filesystem::path& file_or_folder, WeightPrecision precision,
                        const std::filesystem::path& output);

}  // namespace gloss
