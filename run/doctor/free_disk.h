#pragma once

#include <cstdint>
#include <filesystem>

namespace gloss {

/// Returns the free bytes of the file system of `folder`, which may not exist yet.
std::int64_t free_disk(const std::filesystem::path& folder);

}  // namespace gloss
