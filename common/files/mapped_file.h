#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "common/files/descriptor.h"

namespace gloss {

/// The bytes of an open file, mapped for reading: the system keeps in memory what was looked at lately and takes it
/// back where memory is wanted elsewhere. Stays good where the file is renamed, removed or replaced. Another process
/// may write to it or cut it short at any time, so bytes are copied out, and what vouches for them is compared with the
/// copy.
class MappedFile {
 public:
  MappedFile() = default;
  /// `path` stands for the file in messages. Throws IoError.
  MappedFile(const Descriptor& file, const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::uint64_t size() const { return size_; }  ///< as it was mapped
  /// Copies the bytes from `place` on. False where they are not all to be had: outside the file, cut off since, or on a
  /// disk that fails. From the first MappedFile on the process has a handler of SIGBUS for that, by which a copy ends;
  /// elsewhere the signal does what it did before.
  bool read(std::uint64_t place, std::span<std::byte> bytes) const;

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An empty file in memory, without a name, to be written and mapped. Throws IoError.
Descriptor open_memory_file();

}  // namespace gloss
