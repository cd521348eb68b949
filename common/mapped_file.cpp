#include "common/mapped_file.h"

#include <utility>

#include <sys/mman.h>
#include <sys/stat.h>

namespace gloss {

MappedFile::MappedFile(const Descriptor& file, const std::filesystem::path& path) {
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw_io_error(path, "look at");
  if (status.st_size == 0) return;
  size_ = static_cast<std::size_t>(status.st_size);
  void* const data = ::mmap(nullptr, size_, PROT_READ, MAP_SHARED, file.get(), 0);
  if (data == MAP_FAILED) throw_io_error(path, "map");
  data_ = static_cast<const std::byte*>(data);
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(const_cast<std::byte*>(data_), size_);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Descriptor open_memory_file() {
  Descriptor file(::memfd_create("gloss", MFD_CLOEXEC));
  if (!file.is_open()) throw_io_error("a file in memory", "create");
  return file;
}

}  // namespace gloss
