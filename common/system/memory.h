#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace gloss {

/// Bytes of memory that this machine has, or that control groups leave of them to this process.
std::int64_t usable_memory();

/// The line `key` ("VmRSS:") of a file of sizes as /proc has them ("/proc/self/status"), in bytes; none where there is
/// no such line.
std::optional<std::int64_t> size_in_proc(const char* file, std::string_view key);

}  // namespace gloss
