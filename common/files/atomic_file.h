#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "common/system/descriptor.h"

namespace gloss {

/// A file that appears completely or not at all. It is written beside its destination, flushed to disk and renamed;
/// then the folder is flushed. Until `commit` it has no name if the file system supports that (O_TMPFILE), so that a
/// killed process leaves nothing; otherwise it has a temporary name.
/// If a step before the renaming fails, or the object is destroyed before `commit`, the previous file is unchanged and
/// no other file is left. If only flushing the folder fails, `commit` throws and the new file is in place. A failed
/// fsync is never retried on the same descriptor: after a failure every call throws. A symbolic link is kept, and its
/// target is replaced or created. A replaced file keeps its permissions.
class AtomicFile {
 public:
  /// Throws IoError if the file cannot be created, or if its path exists and is not a regular file.
  explicit AtomicFile(std::filesystem::path path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);  ///< throws IoError
  void write(std::string_view text);
  /// Writes from byte `offset` on, over what is there or after a gap of zeros. Throws IoError.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Opens the content written so far for reading; before `commit` only. Throws IoError.
  Descriptor open_for_reading() const;
  /// Flushes everything to disk under the final name. Without `flush`, a power cut may leave a file with other bytes.
  /// Throws IoError.
  void commit(bool flush = true);

 private:
  void check(bool worked, std::string_view operation);
  void discard();

  void create();
  void keep_permissions();
  bool give_name();

  std::filesystem::path path_;
  std::filesystem::path temporary_;  ///< ".gloss.<process>-<count>.tmp"; empty while the file has no name
  Descriptor descriptor_;
};

/// Flushes the names of the files in `folder` to disk. Does nothing if the folder is not readable or its file system
/// cannot flush folders. Throws IoError.
void flush_folder(const std::filesystem::path& folder);

/// Removes the temporary files that killed processes left in `folder` and returns their number. No other process may be
/// writing there (common/files/file_lock.h). Throws IoError.
int remove_stray_temporaries(const std::filesystem::path& folder);

/// Writes the whole text to a file, atomically.
void write_file(const std::filesystem::path& path, std::string_view text);
/// Returns the whole file, at most `limit` bytes. Throws IoError, or DataError if the file is longer or not a regular
/// file.
std::string read_file(const std::filesystem::path& path, std::size_t limit);

}  // namespace gloss
