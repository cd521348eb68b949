#pragma once

#include <cstdint>
#include <filesystem>

#include "common/system/descriptor.h"

namespace gloss {

/// Returns the number of entries that a ZIP file states, before a library reads their names; 0 if it is no ZIP file. Of
/// several possible ends of the file's directory, the largest number counts. Throws IoError.
std::uint64_t stated_zip_entries(const RegularFile& file, const std::filesystem::path& path);

}  // namespace gloss
