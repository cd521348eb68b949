#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace gloss {

/// What the file system says of a file without reading it. Who writes to a file, replaces it or sets its times changes
/// the stamp: the time of the last change of its entry is the system's own and cannot be set.
struct FileStamp {
  std::uint64_t device = 0, inode = 0, size = 0;
  std::int64_t modified = 0, changed = 0;  ///< nanoseconds since 1970: of the contents, of the entry

  /// Throws IoError.
  static FileStamp of(const std::filesystem::path& path);
  /// Whether the file had been left alone for so long at `time` that any later change must show: clocks of file
  /// systems tick coarsely, up to two seconds.
  bool settled(std::chrono::system_clock::time_point time) const;
  bool operator==(const FileStamp&) const = default;
};

}  // namespace gloss
