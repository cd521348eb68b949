#pragma once

#include <filesystem>

#include "common/files/descriptor.h"

namespace gloss {

/// Holds a folder for this process (flock on `.lock` in it, which holds the process's number); given back, and the file
/// removed, when destroyed; given back when the process dies.
class FileLock {
 public:
  /// Throws LockedError naming the other process where it is held, IoError where the folder cannot be written.
  explicit FileLock(const std::filesystem::path& folder);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  std::filesystem::path path_;
  Descriptor descriptor_;
};

}  // namespace gloss
