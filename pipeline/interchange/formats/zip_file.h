#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gloss {

/// Bounds on a ZIP archive, which are checked before anything is allocated or unpacked.
struct ZipLimits {
  std::uint64_t entries = 200'000;
  std::uint64_t entry_bytes = std::uint64_t{16} << 30;  ///< of one entry, unpacked
  std::uint64_t total_bytes = std::uint64_t{64} << 30;  ///< of all entries, unpacked
  /// An entry of more than `small_bytes` may grow by at most this factor when it is unpacked; weights grow by less
  /// than 2, texts by less than 20.
  std::uint64_t max_ratio = 100;
  std::uint64_t small_bytes = std::uint64_t{16} << 20;
};

/// Returns whether gloss was built with libzip. Without it archives can neither be read nor written.
bool has_libzip();

/// A ZIP archive, read through libzip. Entries are stored or deflated, not encrypted; names are printable UTF-8,
/// relative and without "..", each once. Sizes come from the central directory; they must fit the file, the limits and
/// the bytes that are unpacked. Folders are left out. Nothing is ever unpacked to disk.
class ZipFile {
 public:
  /// Opens a regular file. Throws ModelError with the path and the fault, IoError if it cannot be read, UsageError if
  /// this gloss was built without libzip.
  static ZipFile open(const std::filesystem::path& path, const ZipLimits& limits = {});
  ~ZipFile();
  ZipFile(ZipFile&& other) noexcept;
  ZipFile& operator=(ZipFile&& other) noexcept;

  const std::string& name() const { return name_; }
  std::vector<std::string> entries() const;  ///< names, sorted
  /// Returns the size of an entry, unpacked. Throws ModelError if there is no such entry.
  std::uint64_t size(std::string_view entry) const;

  /// Returns an entry and compares its checksum. Throws ModelError if there is no such entry, or if its bytes are
  /// damaged, more or fewer than its size.
  std::vector<std::byte> read(std::string_view entry) const;
  /// Returns the first bytes of an entry, at most `count`, without its checksum.
  std::vector<std::byte> read_start(std::string_view entry, std::size_t count) const;

 private:
  struct Archive;

  ZipFile(std::unique_ptr<Archive> archive, std::string name, const ZipLimits& limits);
  struct Place {
    std::uint64_t index, size;
  };
  const Place& place(std::string_view entry) const;
  std::vector<std::byte> unpack(std::string_view entry, std::uint64_t size, bool whole) const;

  std::unique_ptr<Archive> archive_;
  std::string name_;
  std::map<std::string, Place, std::less<>> sizes_;
};

}  // namespace gloss
