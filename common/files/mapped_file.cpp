#include "common/files/mapped_file.h"

#include <atomic>
#include <cstring>
#include <utility>

#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace gloss {
namespace {

// Jump target of the thread's copy if a page of the file cannot be read; null while it copies nothing.
thread_local sigjmp_buf* volatile copy_failed = nullptr;
struct sigaction action_before {};

extern "C" void leave_copy(int signal) {
  if (copy_failed != nullptr) siglongjmp(*copy_failed, 1);
  ::sigaction(signal, &action_before, nullptr);
  ::raise(signal);
}

bool handle_lost_pages() {
  struct sigaction action {};
  action.sa_handler = leave_copy;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_NODEFER;  // the handler is left by a jump, which does not unblock the signal
  return ::sigaction(SIGBUS, &action, &action_before) == 0;
}

// The fences keep the copying between the two assignments.
bool copy(std::byte* to, const std::byte* from, std::size_t bytes) {
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0) {
    copy_failed = nullptr;
    return false;
  }
  copy_failed = &here;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::memcpy(to, from, bytes);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copy_failed = nullptr;
  return true;
}

}  // namespace

MappedFile::MappedFile(const Descriptor& file, const std::filesystem::path& path) {
  [[maybe_unused]] static const bool handled = handle_lost_pages();
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

bool MappedFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (offset > size_ || bytes.size() > size_ - offset) return false;
  return bytes.empty() || copy(bytes.data(), data_ + offset, bytes.size());
}

Descriptor open_memory_file() {
  Descriptor file(::memfd_create("gloss", MFD_CLOEXEC));
  if (!file.is_open()) throw_io_error("a file in memory", "create");
  return file;
}

}  // namespace gloss
