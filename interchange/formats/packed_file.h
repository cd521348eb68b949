#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "common/system/descriptor.h"

namespace gloss {

/// Maximum size of an unpacked file of weights in bytes. Firefox's models have 15 to 60 MB.
inline constexpr std::uint64_t kMaxUnpackedModel = std::uint64_t{1} << 30;

/// Returns the path without an ending .gz.
std::filesystem::path unpacked_path(const std::filesystem::path& path);

/// Opens a regular file of a model of another program. A file whose name ends in .gz is decompressed into a file in
/// memory of at most `limit` bytes. Throws ModelError if it is larger, damaged, or a folder or a device; IoError.
RegularFile open_unpacked(const std::filesystem::path& path, std::uint64_t limit);

/// Returns an unnamed file in memory with these bytes. Throws IoError.
RegularFile memory_file(std::string_view bytes);

}  // namespace gloss
