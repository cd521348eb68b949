#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/files/file_lock.h"
#include "common/files/same_file.h"

namespace gloss {

/// A folder of files that appears completely or not at all. The files are written to a temporary folder beside the
/// destination, which `commit` renames. If a step fails, or the object is destroyed before `commit`, the destination is
/// unchanged and the temporary folder is removed. A killed process leaves a folder ".gloss-export.NUMBER.tmp", which
/// the next export to the same place removes; a lock in the folder shows that its process is alive.
///
///     OutputFolder folder("out", /*overwrite=*/false);
///     write_file(folder.file("config.json"), text);
///     folder.commit("# A model\n");
class OutputFolder {
 public:
  /// Throws UsageError if `path` is a file, or a folder with files. With `overwrite` such a folder may also be one that
  /// an OutputFolder wrote and that has no other or changed files, nor one of `inputs`. Throws IoError.
  OutputFolder(const std::filesystem::path& path, bool overwrite, std::vector<NamedFile> inputs = {});
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  /// Returns the path at which to write the file of this name.
  std::filesystem::path file(const std::string& name);
  /// Writes README.md, with two first lines that list the files and their hashes, and gives the folder its name. Throws
  /// UsageError as the constructor if another program has written into the folder since, and IoError.
  void commit(std::string_view readme);

 private:
  std::filesystem::path path_, temporary_;
  bool overwrite_;
  std::vector<NamedFile> inputs_;
  std::optional<FileLock> lock_;  ///< of the temporary folder
  std::vector<std::string> names_ = {"README.md"};
};

}  // namespace gloss
