#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "common/system/descriptor.h"

namespace gloss {

/// A file of a command and the option that names it.
struct NamedFile {
  std::string name;  ///< the option or key that names it: "--output", "data.train_source"
  std::filesystem::path path;
};

/// Returns whether both paths lead to one regular file: the same device and inode, through symbolic and hard links. If
/// neither exists, the paths are compared with links to folders resolved. Devices and pipes are never the same.
bool same_file(const std::filesystem::path& first, const std::filesystem::path& second);

/// Throws UsageError with both names if `output` is one of `inputs`. Reads and writes nothing.
///
///     expect_no_input({"--output", output}, {{"--input", input}, {"stdin", "/dev/stdin"}});
void expect_no_input(const NamedFile& output, const std::vector<NamedFile>& inputs);

/// Throws UsageError with both names if two of `outputs` are the same file.
void expect_distinct(std::span<const NamedFile> outputs);

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
