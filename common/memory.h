#pragma once

#include <cstdint>

namespace gloss {

/// Bytes of memory that this machine has, or that control groups leave of them to this process.
std::int64_t usable_memory();

}  // namespace gloss
