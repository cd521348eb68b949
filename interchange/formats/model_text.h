#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace gloss {

/// Returns a regular file that belongs to a model of another program. Throws ModelError if it has more than `limit`
/// bytes or is a folder or a device; IoError.
std::string read_model_text(const std::filesystem::path& path, std::size_t limit);

}  // namespace gloss
