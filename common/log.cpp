#include "common/log.h"

#include <array>
#include <cstdio>
#include <mutex>
#include <utility>

#include "common/event_file.h"
#include "common/utf8.h"

namespace gloss {
namespace {

struct Log {
  std::mutex mutex;
  bool quiet = false;
  EventFile events;
};

Log& the_log() {
  static Log log;
  return log;
}

// The caller holds the mutex.
void print_line(std::string_view start, std::string_view message) {
  const auto line = std::string(start) + printable(message, std::string::npos) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

// Can move the cursor, end the line, or turn the order of the text around.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

std::string escape(const char* form, unsigned value) {
  std::array<char, 16> buffer{};
  const auto length = std::snprintf(buffer.data(), buffer.size(), form, value);
  return {buffer.data(), static_cast<std::size_t>(length)};
}

std::string escape(char32_t control) {
  if (control == '\n') return "\\n";
  if (control == '\r') return "\\r";
  if (control == '\t') return "\\t";
  return escape(control < 0x80 ? "\\x%02x" : "\\u{%x}", control);
}

}  // namespace

void set_up_log(const LogOptions& options) {
  auto& log = the_log();
  const std::lock_guard lock(log.mutex);
  log.quiet = options.quiet;
  log.events = options.json_file ? EventFile(*options.json_file) : EventFile();
}

void log_info(std::string_view message) {
  auto& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (!log.quiet) print_line("", message);
}

void log_warning(std::string_view message) {
  const std::lock_guard lock(the_log().mutex);
  print_line("warning: ", message);
}

void log_error(std::string_view message) {
  const std::lock_guard lock(the_log().mutex);
  print_line("error: ", message);
}

void log_event(std::string_view event, Json fields) {
  auto& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (!log.events.write(event, std::move(fields)))
    print_line("warning: ", log.events.path().string() + ": cannot write; the log ends here");
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string safe;
  for (std::size_t offset = 0, characters = 0; offset < text.size(); ++characters) {
    if (characters == limit) return safe + "...";
    const auto point = decode_utf8(text, offset);
    const auto part = text.substr(offset, point.bytes);
    if (!point.value) {
      for (const char c : part) safe += escape("\\x%02x", static_cast<unsigned char>(c));
    } else if (is_control(*point.value)) {
      safe += escape(*point.value);
    } else {
      safe += part;
    }
    offset += point.bytes;
  }
  return safe;
}

}  // namespace gloss
