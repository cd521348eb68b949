#pragma once

#include <cstdint>
#include <string>

namespace gloss {

/// As printf writes the values, however long that is. Throws std::runtime_error where it cannot.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// "12.3 MiB".
std::string bytes_text(std::uintmax_t bytes);

}  // namespace gloss
