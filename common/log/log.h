#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "common/config/json.h"

namespace gloss {

struct LogOptions {
  bool quiet = false;                              ///< warnings and errors only
  std::optional<std::filesystem::path> json_file;  ///< if set, every event is appended to this file as a JSON line
  std::string process;  ///< "process 1: " in front of every line, where several processes print; empty: alone
};

/// Sets up the log. The app calls it once, before it starts threads. Throws IoError if the file cannot be opened.
void set_up_log(const LogOptions& options);

/// Returns LogOptions::process. It does not wait, even if another thread waits for the reader of stderr.
std::string log_process();

/// Closes the event file. The app calls it once. Warns if events were dropped because no process read them.
void finish_log();

/// Opens the event file again, whose name may stand for another one after a rotation. Throws IoError; then the old one
/// goes on.
void reopen_log();

/// From now on, lines that stderr does not take within a second are dropped: for a server, which goes on when nobody
/// reads what it prints.
void drop_late_lines();

/// Prints one line for people to stderr, with control characters escaped. At a terminal, breaks it at spaces to the
/// terminal's width. Prints nothing if quiet.
void log_info(std::string_view message);
/// Prints "warning: " and the message, even if quiet, and writes an event.
void log_warning(std::string_view message);
/// Prints "error: " and the message, even if quiet, and writes an event. For the failure of a part, after which the
/// rest of the work continues.
void log_error(std::string_view message);
/// Shows a line at the bottom of a terminal, cut to its width. The next progress line or log line replaces it; an empty
/// one removes it. Does nothing if stderr is not a terminal, if quiet, and within 0.1 s of the previous progress line.
void log_progress(std::string_view line);
/// Returns the columns of the terminal that shows log_progress, or nothing if it is not shown.
std::optional<std::size_t> progress_columns();
/// Returns the columns of the terminal on stderr, or nothing if stderr is not a terminal.
std::optional<std::size_t> terminal_columns();
/// Writes an event for programs: `fields` with "event" and "time" (seconds since 1970) as one line of the JSON file, if
/// there is one.
void log_event(std::string_view event, Json fields);

/// Writes text to stderr unchanged and waits for a slow reader. After a stop was requested (common/system/signals.h) it
/// waits at most one second and drops the rest.
void write_to_stderr(std::string_view text);

}  // namespace gloss
