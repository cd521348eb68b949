#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "common/files/descriptor.h"

namespace gloss {

/// A file that appears whole or not at all: written beside its place, flushed to the disk, renamed, and the folder
/// flushed. Until `commit` it has no name where the file system can do that (O_TMPFILE), so that nothing is left of a
/// process that is killed; else a temporary one. Whatever fails before the renaming, or a destructor before `commit`,
/// leaves what stood there before and nothing beside it; where only flushing the folder fails, `commit` throws and the
/// new file stands. A failed fsync is never tried again on the same descriptor: after a failure every call throws. A
/// symbolic link is kept, and what it leads to replaced or made; a file that is replaced keeps its permissions.
class AtomicFile {
 public:
  /// Throws IoError where it cannot be created, or where something else than a regular file stands in its place.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);  ///< throws IoError
  void write(std::string_view text);
  /// What was written so far, before `commit`. Throws IoError.
  Descriptor open_for_reading() const;
  /// Everything is on the disk under the final name when it returns. Throws IoError.
  void commit();

 private:
  void check(bool worked, std::string_view operation);
  void discard();

  void create();
  void keep_permissions();
  bool give_name();

  std::filesystem::path path_;
  std::filesystem::path temporary_;  ///< ".gloss.<process>-<count>.tmp"; empty where the file has no such name
  Descriptor descriptor_;
};

/// The names of what is in `folder` are on the disk when it returns, but where the folder may not be read or its file
/// system cannot do it. Throws IoError.
void flush_folder(const std::filesystem::path& folder);

/// Removes what a killed process left of unfinished files in `folder` and returns how many; only while nobody else can
/// be writing there (common/files/file_lock.h). Throws IoError.
int remove_stray_temporaries(const std::filesystem::path& folder);

/// The whole text as a file, atomically.
void write_file(const std::filesystem::path& path, std::string_view text);
/// The whole file, at most `limit` bytes. Throws IoError, or DataError where it is longer or no regular file.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace gloss
