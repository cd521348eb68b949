#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

#include "common/system/descriptor.h"

namespace gloss {

/// Identity and times of a file, without reading it. Writing to a file, replacing it or setting its times changes the
/// stamp: the system sets the time of the last status change, and no program can.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified = 0, changed = 0;  ///< nanoseconds since 1970: last change of the contents, of the status

  /// Reads the stamp of a file, which `path` names as for LineReader. Throws IoError.
  static FileStamp of(const std::filesystem::path& path);
  /// Reads the stamp of an open file; `path` names it in messages. Throws IoError.
  static FileStamp of(const Descriptor& file, const std::filesystem::path& path);
  /// Returns whether any change after `time` would change the stamp. File systems have coarse clocks, with steps of up
  /// to two seconds.
  bool settled(std::chrono::system_clock::time_point time) const;
  bool operator==(const FileStamp&) const = default;
};

}  // namespace gloss
