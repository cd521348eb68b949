#include "common/log/log.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <mutex>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include "common/log/event_file.h"
#include "common/system/descriptor.h"
#include "common/system/signals.h"
#include "common/text/printable.h"
#include "common/text/terminal_text.h"

namespace gloss {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

struct Log {
  std::mutex mutex;  ///< of stderr
  bool quiet = false;
  std::string process;
  bool terminal = false;      ///< stderr is a terminal that can erase a line
  bool has_progress = false;  ///< a progress line is shown
  std::chrono::steady_clock::time_point progress_at;
  std::mutex events_mutex;  ///< of the next; held while stderr is waited for, but not the other way round
  EventFile events;
};

std::atomic<bool> drops_late_lines = false;

Log& the_log() {
  static Log log;
  return log;
}

bool erases_lines(int descriptor) {
  const char* kind = std::getenv("TERM");
  return ::isatty(descriptor) == 1 && kind != nullptr && std::string_view(kind) != "dumb";
}

std::size_t terminal_width(int descriptor) {
  winsize size{};
  return ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

// The caller holds the mutex.
void print_line(std::string_view start, std::string_view message) {
  auto& has_progress = the_log().has_progress;
  auto text = the_log().process + std::string(start) + printable(message, std::string::npos);
  if (the_log().terminal) text = wrapped(text, terminal_width(STDERR_FILENO));
  const auto line = std::string(has_progress ? kEraseLine : "") + text + '\n';
  has_progress = false;
  write_to_stderr(line);
}

void warn(const std::string& message) {
  const std::lock_guard lock(the_log().mutex);
  print_line("warning: ", message);
}

void write_event(std::string_view event, Json fields) {
  const std::lock_guard lock(the_log().events_mutex);
  auto& events = the_log().events;
  const auto dropped = events.dropped();
  if (!events.write(event, std::move(fields))) warn(events.path().string() + ": cannot write; the log ends here");
  if (dropped == 0 && events.dropped() > 0)
    warn(events.path().string() + ": the pipe is full and no process reads it; events are dropped until one does");
}

}  // namespace

void set_up_log(const LogOptions& options) {
  auto& log = the_log();
  const std::scoped_lock lock(log.events_mutex, log.mutex);
  log.quiet = options.quiet;
  log.process = options.process;
  log.terminal = erases_lines(STDERR_FILENO);
  log.events = options.json_file ? EventFile(*options.json_file) : EventFile();
}

std::string log_process() { return the_log().process; }

void finish_log() {
  auto& log = the_log();
  const std::lock_guard lock(log.events_mutex);
  const auto path = log.events.path().string();
  if (const auto dropped = log.events.finish(); dropped > 0)
    warn(path + ": " + std::to_string(dropped) + " events were dropped");
  log.events = EventFile();
}

void reopen_log() {
  auto& log = the_log();
  const std::lock_guard lock(log.events_mutex);
  if (!log.events.path().empty()) log.events = EventFile(log.events.path());
}

void drop_late_lines() { drops_late_lines = true; }

void log_info(std::string_view message) {
  auto& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (!log.quiet) print_line("", message);
}

void log_warning(std::string_view message) {
  warn(std::string(message));
  write_event("warning", {{"message", printable(message, std::string::npos)}});
}

void log_error(std::string_view message) {
  {
    const std::lock_guard lock(the_log().mutex);
    print_line("error: ", message);
  }
  write_event("error", {{"message", printable(message, std::string::npos)}});
}

void log_progress(std::string_view line) {
  auto& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (!log.terminal || log.quiet || (line.empty() && !log.has_progress)) return;
  const auto now = std::chrono::steady_clock::now();
  if (!line.empty() && log.has_progress && now - log.progress_at < std::chrono::milliseconds(100)) return;
  log.progress_at = now;
  log.has_progress = !line.empty();
  // The last column stays free: some terminals wrap after it.
  const auto safe = printable(line, std::string::npos);
  const auto text = std::string(kEraseLine) + std::string(first_columns(safe, terminal_width(STDERR_FILENO) - 1));
  write_to_stderr(text);
}

std::optional<std::size_t> progress_columns() {
  const auto& log = the_log();
  if (!log.terminal || log.quiet) return std::nullopt;
  return terminal_width(STDERR_FILENO);
}

std::optional<std::size_t> terminal_columns() {
  if (::isatty(STDERR_FILENO) != 1) return std::nullopt;
  return terminal_width(STDERR_FILENO);
}

void log_event(std::string_view event, Json fields) { write_event(event, std::move(fields)); }

void write_to_stderr(std::string_view text) {
  for (int waits = 0; !text.empty();) {
    if (!writable_within(STDERR_FILENO, kLookForStopMilliseconds)) {
      if ((stop_requested() || drops_late_lines) && ++waits * kLookForStopMilliseconds >= 1000) return;
      continue;
    }
    const auto written = ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      return;
    }
  }
}

}  // namespace gloss
