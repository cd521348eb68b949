#pragma once

#include <filesystem>
#include <optional>

#include "common/files/file_lock.h"

namespace gloss {

/// A folder of this process that no other user can read. It is removed with all that is in it, and so are those that
/// killed processes have left beside it.
class PrivateFolder {
 public:
  /// Creates `gloss-documents-XXXXXX` in `parent`; empty: in the system's temporary folder. Throws IoError.
  explicit PrivateFolder(std::filesystem::path parent);
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  ~PrivateFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<FileLock> lock_;
};

}  // namespace gloss
