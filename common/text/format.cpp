#include "common/text/format.h"

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <stdexcept>

#include <openssl/evp.h>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr std::size_t kLinesNamed = 5;

}  // namespace

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

void NotedLines::note(std::int64_t line) {
  ++count;
  if (first_lines.size() < kLinesNamed) first_lines.push_back(line);
}

std::string NotedLines::text() const {
  std::string text = "first lines:";
  for (const auto line : first_lines) text += (text.back() == ':' ? " " : ", ") + std::to_string(line);
  return text;
}

void expect_equal_lines(const std::string& name, std::int64_t lines, const std::string& reference_name,
                        std::int64_t reference_lines) {
  if (lines != reference_lines)
    throw DataError(printable(name) + " has " + counted(lines, "line") + ", " + printable(reference_name) + " " +
                    std::to_string(reference_lines) + "; line n of one must belong to line n of the other");
}

std::string shell_quoted(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:=@%-";
  if (!text.empty() && text.find_first_not_of(kPlain) == text.npos) return text;
  std::string quoted = "'";
  for (const char character : text) quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return quoted + "'";
}

std::string base64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const auto size =
      EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                      reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(size));
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 1, '\0');
  const auto size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                    reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  const int padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  if (size < padding || text.ends_with("===")) return std::nullopt;
  bytes.resize(static_cast<std::size_t>(size - padding));
  return bytes;
}

}  // namespace gloss
