#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/config/json.h"
#include "common/system/descriptor.h"

namespace gloss {

/// Events for programs, one JSON object per line, appended to a file. A full pipe is waited for at most one second per
/// event; then events are dropped until it has room, and an event "dropped" with their number follows.
class EventFile {
 public:
  EventFile() = default;  ///< closed: events are discarded
  /// Opens or creates the file. Removes the beginning of an event from its end, and completes another last line. Does
  /// not wait for the reader of a pipe. Throws IoError.
  explicit EventFile(std::filesystem::path path);

  bool is_open() const { return descriptor_.is_open(); }
  const std::filesystem::path& path() const { return path_; }

  /// Writes `fields` with "event" and "time" (seconds since 1970). Returns false, and closes the file, if it cannot be
  /// written.
  bool write(std::string_view event, Json fields);
  std::int64_t dropped() const { return dropped_; }  ///< the number of events that were not written
  /// Writes the rest of an event that a full pipe took in part, or counts it as dropped, and closes the file. Returns
  /// the number of events that were not written whole.
  std::int64_t finish();

 private:
  enum class Sent { kAll, kNone, kFailed };
  using Clock = std::chrono::steady_clock;
  Sent send(std::string line, Clock::time_point deadline);
  Sent send_rest(Clock::time_point deadline);

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::string rest_;  ///< of a line that a full pipe took in part
  std::int64_t dropped_ = 0, reported_ = 0;
  bool stuck_ = false;  ///< the pipe was full until the last deadline
};

}  // namespace gloss
