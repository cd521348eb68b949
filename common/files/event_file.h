#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "common/config/json.h"
#include "common/files/descriptor.h"

namespace gloss {

/// Events for programs, a JSON object a line, added to the end of a file. Of a pipe that is full a second is waited for
/// the reader; then events are dropped until it reads again, which is told it by an event of its own.
class EventFile {
 public:
  EventFile() = default;  ///< closed: events go nowhere
  /// Opens or makes the file; a last line that was torn is ended first. Does not wait for the reader of a pipe. Throws
  /// IoError.
  explicit EventFile(std::filesystem::path path);

  bool is_open() const { return descriptor_.is_open(); }
  const std::filesystem::path& path() const { return path_; }

  /// `fields` with "event" and "time" (seconds since 1970). False, with the file closed, where it cannot be written.
  bool write(std::string_view event, Json fields);
  std::int64_t dropped() const { return dropped_; }  ///< the number of events that were not written

 private:
  enum class Sent { kAll, kNone, kFailed };
  Sent send(std::string line);
  Sent send_rest();

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::string rest_;  ///< of a line that a full pipe took in part
  std::int64_t dropped_ = 0, told_ = 0;
  bool stuck_ = false;  ///< the pipe was full the last time, and a second of waiting was in vain
};

}  // namespace gloss
