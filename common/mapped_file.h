#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include "common/descriptor.h"

namespace gloss {

/// The bytes of an open file, mapped for reading: the system keeps in memory what was looked at lately and takes it
/// back where memory is wanted elsewhere. Stays good where the file is renamed, removed or replaced; the file must not
/// be cut short while it is mapped.
class MappedFile {
 public:
  MappedFile() = default;
  /// `path` stands for the file in messages. Throws IoError.
  MappedFile(const Descriptor& file, const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

/// An empty file in memory, without a name, to be written and mapped. Throws IoError.
Descriptor open_memory_file();

}  // namespace gloss
