#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct zip;

namespace gloss {

/// Returns whether gloss was built with libzip. Without it archives can neither be read nor written.
bool has_libzip();

/// An entry to be written: the bytes of `start`, and then those of `rest`, which are not owned.
struct ZipContent {
  std::string name, start;
  std::span<const std::byte> rest;
};

/// Writes an archive atomically (common/files/atomic_file.h), in the order of the entries, which have different names.
/// They are stored, not deflated. The bytes depend on the entries only. The whole archive is built in memory first.
/// Throws IoError, and UsageError if gloss was built without libzip.
void write_zip(const std::filesystem::path& path, const std::vector<ZipContent>& entries);

/// A ZIP archive, read through libzip. Entries are stored or deflated, not encrypted; names are printable UTF-8,
/// relative and without "..", each once. Sizes come from the central directory; they must fit the file, the limits and
/// the bytes that are unpacked. Folders are left out. Nothing is ever unpacked to disk.
class ZipFile {
 public:
  /// Maximum number of entries. libzip compares a name with all those of the same hash, which a hostile file chooses.
  static constexpr std::uint64_t kMaxEntries = 20'000;
  /// All entries have at most kMaxRatio times the bytes of the file when they are unpacked, and kSmallBytes more.
  /// Weights grow by less than 2, texts by less than 20.
  static constexpr std::uint64_t kMaxRatio = 20, kSmallBytes = std::uint64_t{16} << 20;

  /// Opens a regular file. Throws ModelError with the path and the fault, IoError if it cannot be read, UsageError if
  /// this gloss was built without libzip.
  static ZipFile open(const std::filesystem::path& path);

  const std::string& name() const { return name_; }
  std::vector<std::string> entries() const;  ///< names, sorted
  /// Returns the size of an entry, unpacked. Throws ModelError if there is no such entry.
  std::uint64_t size(std::string_view entry) const;

  /// Returns an entry and compares its checksum. Throws ModelError if there is no such entry, or if its bytes are
  /// damaged, more or fewer than its size.
  std::string read(std::string_view entry) const;
  /// Reads an entry without its first `skipped` bytes into `rest`, which has as many bytes as are left. Throws as
  /// above.
  void read(std::string_view entry, std::size_t skipped, std::span<std::byte> rest) const;
  /// Returns the first bytes of an entry, at most `count`, without its checksum.
  std::string read_start(std::string_view entry, std::size_t count) const;

 private:
  using Archive = std::unique_ptr<zip, void (*)(zip*)>;  ///< of libzip

  ZipFile(Archive archive, std::uint64_t file_size, std::string name);
  struct Place {
    std::uint64_t index, size;
  };
  const Place& place(std::string_view entry) const;
  /// Fills `start` and, if it is not empty, `rest`, which then ends the entry.
  void unpack(std::string_view entry, std::span<std::byte> start, std::optional<std::span<std::byte>> rest) const;

  Archive archive_;
  std::string name_;
  std::map<std::string, Place, std::less<>> sizes_;
};

}  // namespace gloss
