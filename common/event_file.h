#pragma once

#include <filesystem>
#include <string_view>

#include "common/descriptor.h"
#include "common/json.h"

namespace gloss {

/// Events for programs, a JSON object a line, added to the end of a file.
class EventFile {
 public:
  EventFile() = default;  ///< closed: events go nowhere
  /// Opens or makes the file; a last line that was torn is ended first. Throws IoError.
  explicit EventFile(std::filesystem::path path);

  bool is_open() const { return descriptor_.is_open(); }
  const std::filesystem::path& path() const { return path_; }

  /// `fields` with "event" and "time" (seconds since 1970). False, with the file closed, where it cannot be written.
  bool write(std::string_view event, Json fields);

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace gloss
