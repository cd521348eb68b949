#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "model/storage/weight_precision.h"
#include "translation/models/lexical_shortlist.h"

namespace gloss {

/// Warns if a model whose matrices are stored in `stored` is written in another precision, and `stored` is rounded.
/// `name` is the name of the model.
void warn_of_rounding(const std::filesystem::path& name, WeightPrecision stored, WeightPrecision precision);

struct FileSizes {
  std::uintmax_t before = 0, after = 0;  ///< bytes
};

/// The options of `gloss convert`.
struct ConvertJob {
  std::filesystem::path model, output;
  WeightPrecision precision = WeightPrecision::kFloat32;
  std::optional<std::filesystem::path> lexical_table = {};  ///< the model gets a shortlist of it
  ShortlistSizes shortlist = {};
  std::optional<std::filesystem::path> calibrate = {};  ///< source lines, to measure scales of inputs; int8 only
};

/// Writes a model file again with its matrices in another precision; everything else is unchanged, but for a new
/// shortlist and new scales of inputs. Values that were rounded before do not become more exact. Throws UsageError if
/// the output is the model itself; ModelError as read_model_file; as read_lexical_shortlist and measured_input_scales;
/// IoError.
FileSizes convert_model(const ConvertJob& job);

}  // namespace gloss
