#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

namespace gloss {

/// As printf writes the values, however long that is. `format` is a literal that fits them.
template <typename... Values>
std::string formatted(const char* format, Values... values) {
  std::string text(static_cast<std::size_t>(std::snprintf(nullptr, 0, format, values...)), '\0');
  std::snprintf(text.data(), text.size() + 1, format, values...);
  return text;
}

}  // namespace gloss
