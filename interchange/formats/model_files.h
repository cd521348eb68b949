#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/system/descriptor.h"
#include "interchange/formats/zip_file.h"

namespace gloss {

/// Returns the regular files of a folder, sorted; the first 10,000 if there are more. Throws IoError.
std::vector<std::filesystem::path> regular_files(const std::filesystem::path& folder);

/// The files of a foreign model by name: those of a folder and of its subfolder `model`, or those of a ZIP archive that
/// holds such a folder. A file of the subfolder hides one of the same name beside it.
///
///     const ModelFiles files("translate-en_es.argosmodel");
///     if (files.has("metadata.json")) use(files.read("metadata.json", kMaxSettingsFile));
class ModelFiles {
 public:
  /// Opens a folder or an archive. The top folder of an archive is that of its metadata.json, or else of its model.bin.
  /// Throws as ZipFile::open.
  explicit ModelFiles(const std::filesystem::path& path);

  bool has(const std::string& name) const { return places_.contains(name); }
  std::vector<std::string> names() const;  ///< sorted
  /// Returns the path of a file for messages, printable.
  std::string shown(const std::string& name) const;
  /// Returns the file on disk: the archive for each of its entries.
  std::filesystem::path on_disk(const std::string& name) const;
  /// Returns the bytes of a file. Throws ModelError if it is missing, damaged or has more than `limit` bytes; IoError.
  std::string read(const std::string& name, std::size_t limit) const;
  /// Opens a file; an entry of an archive, of at most `limit` bytes, is unpacked in memory. Throws as read.
  RegularFile open(const std::string& name, std::size_t limit) const;

 private:
  const std::string& place(const std::string& name) const;

  std::filesystem::path path_;
  std::optional<ZipFile> archive_;
  std::map<std::string, std::string> places_;  ///< paths below the folder, or entries of the archive, by name
};

}  // namespace gloss
