#pragma once

#include <cstdint>
#include <string>

namespace gloss {

/// Formats like printf, with any length. Throws std::runtime_error if that fails.
[[gnu::format(printf, 1, 2)]] std::string formatted(const char* format, ...);

/// Returns a number with `decimals` decimals, or with three digits from a million on: "7.39", "3.05e+135".
std::string number_text(double value, int decimals = 2);

/// Returns a number of bytes as text: "12.3 MiB", below 100 KiB as "12.3 KiB".
std::string bytes_text(std::uintmax_t bytes);
/// Returns a number of bytes as text with a decimal only below ten: "9.5 MiB", "123 MiB".
std::string short_bytes_text(std::int64_t bytes);

}  // namespace gloss
