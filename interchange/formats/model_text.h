#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/config/json.h"

namespace gloss {

/// Returns a regular file that belongs to a model of another program. Throws ModelError if it has more than `limit`
/// bytes or is a folder or a device; IoError.
std::string read_model_text(const std::filesystem::path& path, std::size_t limit);

/// Parses the JSON of such a file. Throws ModelError with `name` and the fault.
Json parse_model_json(std::string_view text, const std::string& name, int max_depth = 32);

}  // namespace gloss
