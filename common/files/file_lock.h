#pragma once

#include <filesystem>

#include "common/system/descriptor.h"

namespace gloss {

/// Locks a folder for this process: flock on `.lock` in it, a file that holds the process id. The destructor unlocks
/// and removes the file; the system unlocks when the process dies.
class FileLock {
 public:
  enum Mode {
    kCreate,
    kExisting,  ///< takes a lock that a killed process left
  };
  /// Throws LockedError, with the other process's id, if the folder is locked; IoError if it cannot be written, or if
  /// it has no lock file to take.
  explicit FileLock(const std::filesystem::path& folder, Mode mode = kCreate);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace gloss
