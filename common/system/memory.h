#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gloss {

/// Returns the bytes of memory that this process may use: the machine's, or the limit of its control groups.
std::int64_t usable_memory();

/// Returns the value of the line `key` ("VmRSS:") of a file such as "/proc/self/status", in bytes, or nothing if there
/// is no such line.
std::optional<std::int64_t> size_in_proc(const char* file, std::string_view key);

}  // namespace gloss
