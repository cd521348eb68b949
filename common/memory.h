#pragma once

#include <cstdint>

namespace gloss {

/// Bytes of memory that this machine has.
std::int64_t physical_memory();

}  // namespace gloss
