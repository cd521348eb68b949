#include "common/text/formatted.h"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <stdexcept>

namespace gloss {

std::string formatted(const char* format, ...) {
  std::va_list values, again;
  va_start(values, format);
  va_copy(again, values);
  const int size = std::vsnprintf(nullptr, 0, format, values);
  std::string text(static_cast<std::size_t>(size < 0 ? 0 : size), '\0');
  if (size > 0) std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(values);
  if (size < 0) throw std::runtime_error("text that cannot be formatted or is longer than 2 GiB");
  return text;
}

std::string number_text(double value, int decimals) {
  constexpr double kMaxFixed = 1e6;
  return value < kMaxFixed ? formatted("%.*f", decimals, value) : formatted("%.3g", value);
}

std::string short_bytes_text(std::int64_t bytes) {
  const double value = static_cast<double>(bytes) / (1 << 20);
  return formatted(value < 10 ? "%.1f MiB" : "%.0f MiB", value);
}

std::string bytes_text(std::uintmax_t bytes) {
  const auto kibibytes = static_cast<double>(bytes) / 1024;
  return kibibytes < 100 ? formatted("%.1f KiB", kibibytes) : formatted("%.1f MiB", kibibytes / 1024);
}

}  // namespace gloss
