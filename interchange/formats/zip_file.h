#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct zip;

namespace gloss {

/// Returns whether gloss was built with libzip. Without it archives can neither be read nor written.
bool has_libzip();

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

  /// Returns an entry without its first `skipped` bytes and compares its checksum. Throws ModelError if there is no
  /// such entry, or if its bytes are damaged, more or fewer than its size.
  std::vector<std::byte> read(std::string_view entry, std::size_t skipped = 0) const;
  /// Returns the first bytes of an entry, at most `count`, without its checksum.
  std::vector<std::byte> read_start(std::string_view entry, std::size_t count) const;

 private:
  using Archive = std::unique_ptr<zip, void (*)(zip*)>;  ///< of libzip

  ZipFile(Archive archive, std::uint64_t file_size, std::string name);
  struct Place {
    std::uint64_t index, size;
  };
  const Place& place(std::string_view entry) const;
  void unpack(std::string_view entry, std::vector<std::byte>& start, std::vector<std::byte>* rest) const;

  Archive archive_;
  std::string name_;
  std::map<std::string, Place, std::less<>> sizes_;
};

}  // namespace gloss
