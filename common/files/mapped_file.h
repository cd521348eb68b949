#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "common/system/descriptor.h"

namespace gloss {

/// The bytes of an open file, mapped for reading. The system keeps recently read pages in memory and drops them when
/// memory is needed. The mapping stays valid if the file is renamed, removed or replaced. Another process may write to
/// it or truncate it at any time: bytes are therefore copied out, and checksums are compared with the copy. Only files
/// of a UserCache, which no process changes, are used in place.
class MappedFile {
 public:
  MappedFile() = default;
  /// `path` names the file in messages. Throws IoError.
  MappedFile(const Descriptor& file, const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::uint64_t size() const { return size_; }  ///< when it was mapped
  /// Copies the bytes from `offset` on. Returns false if they are not all available: outside the file, truncated since,
  /// or on a failing disk. The first MappedFile installs a handler of SIGBUS for this; other SIGBUS signals have their
  /// former effect.
  bool read(std::uint64_t offset, std::span<std::byte> bytes) const;
  /// Returns all bytes where they are mapped, for a file that no process changes.
  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Returns an empty unnamed file in memory, to be written and mapped. Throws IoError.
Descriptor open_memory_file();

}  // namespace gloss
