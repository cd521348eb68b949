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
  std::optional<std::filesystem::path> json_file;  ///< every event also as a JSON line here
};

/// Set up once, by the app. Throws IoError where the file cannot be opened.
void set_up_log(const LogOptions& options);

/// Ends the file of events, once, by the app; warns of events that nobody read and that were dropped.
void finish_log();

/// One line for a person on stderr, control characters made visible; nothing where quiet.
void log_info(std::string_view message);
/// The same, with "warning: " before it, also where quiet; and an event.
void log_warning(std::string_view message);
/// The same with "error: ": of a part of the work, where the rest goes on.
void log_error(std::string_view message);
/// A line at the foot of a terminal, cut to its width; the next one, or the next line of the log, takes its place. An
/// empty one removes it. Nothing where stderr is no terminal, where quiet, and within a tenth of a second of the last.
void log_progress(std::string_view line);
/// Columns of the terminal that shows log_progress; nothing where it shows nothing (no terminal, quiet).
std::optional<std::size_t> progress_columns();
/// Columns of the terminal that is stderr; nothing where it is no terminal.
std::optional<std::size_t> terminal_columns();
/// An event for programs: `fields` with "event" and "time" (seconds since 1970) as one line of the JSON file, if there
/// is one.
void log_event(std::string_view event, Json fields);

/// Writes a message to stderr as it stands, waiting for a reader that is slow. Once a stop is requested
/// (common/system/signals.h) it waits for a second and then drops the rest.
void write_to_stderr(std::string_view text);

/// Text from outside made safe to print: control characters and broken UTF-8 become escapes, cut at `limit` characters,
/// which leaves every usual path whole.
std::string printable(std::string_view text, std::size_t limit = 1000);

}  // namespace gloss
