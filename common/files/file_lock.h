#pragma once

#include <filesystem>

#include "common/files/descriptor.h"

namespace gloss {

/// Locks a folder for this process: flock on `.lock` in it, a file that holds the process id. The destructor unlocks
/// and removes the file; the system unlocks when the process dies.
class FileLock {
 public:
  /// Throws LockedError, with the other process's id, if the folder is locked; IoError if it cannot be written.
  explicit FileLock(const std::filesystem::path& folder);
  ~FileLock();
  /// Returns whether a process has locked the folder, or was killed while it held the lock.
  static bool is_in(const std::filesystem::path& folder);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace gloss
