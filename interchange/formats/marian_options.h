#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/json.h"
#include "interchange/formats/foreign_tensors.h"

namespace gloss {

/// The tensor of a model that holds its options.
inline constexpr std::string_view kMarianOptionsTensor = "special:model.yml";

/// End of the names of the multipliers with which inputs of a matrix become int8, after the name of the matrix; and the
/// name of that of the output matrix in files of versions of Marian that multiply by a part of it without a name.
inline constexpr std::string_view kInputMultiplier = "_QuantMultA", kOutputMultiplier = "none_QuantMultA";

/// An option of gloss's own in the models that it writes: the numbers of pieces of source and target that are in use.
/// The rows after them are unused. Marian ignores it.
inline constexpr const char* kUsedPiecesOption = "gloss-used-pieces";

/// Options of Marian: those within a model (special:model.yml) or those of decoder.yml. A missing or empty value has
/// the default of Marian's command line, and an older name of a key also stands under its present one.
struct MarianOptions {
  Json values = Json::object();   ///< texts, lists and maps
  Json shown = Json::object();    ///< the same for messages: "[1, 2]"
  std::vector<std::string> keys;  ///< as the file has them
};

/// Parses a YAML map; `name` is the file's name in messages. Throws as parse_yaml.
MarianOptions parse_marian_options(std::string_view yaml, const std::string& name);
/// Reads a regular file of at most 1 MiB. Throws as parse_marian_options, IoError.
MarianOptions read_marian_options(const std::filesystem::path& path);
/// Returns the options within a model. Throws ModelError if it has none.
MarianOptions marian_options_of(const ForeignTensors& model);

}  // namespace gloss
