#include "common/files/file_lock.h"

#include <array>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

constexpr const char* kLockName = ".lock";

// Names the holder from its process id in the file, which is missing for an instant after locking.
std::string holder(const Descriptor& descriptor) {
  std::array<char, 32> buffer{};
  const auto size = ::pread(descriptor.get(), buffer.data(), buffer.size(), 0);
  if (size <= 0) return "another process";
  return "process " + printable(std::string_view(buffer.data(), static_cast<std::size_t>(size)));
}

// Returns false if the previous holder removed the file between opening and locking it.
bool is_file_at(const std::filesystem::path& path, const Descriptor& descriptor) {
  using Status = struct stat;
  Status opened{}, current{};
  return ::fstat(descriptor.get(), &opened) == 0 && ::lstat(path.c_str(), &current) == 0 &&
         opened.st_dev == current.st_dev && opened.st_ino == current.st_ino;
}

}  // namespace

FileLock::FileLock(const std::filesystem::path& folder, Mode mode) : path_(folder / kLockName) {
  const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (mode == kCreate ? O_CREAT : 0);
  do {
    descriptor_ = Descriptor(retry_interrupted([&] { return ::open(path_.c_str(), flags, 0666); }));
    if (!descriptor_.is_open()) throw_io_error(path_, "open");
    if (retry_interrupted([&] { return ::flock(descriptor_.get(), LOCK_EX | LOCK_NB); }) != 0) {
      if (errno != EWOULDBLOCK) throw_io_error(path_, "lock");
      throw LockedError(printable(folder.string()) + ": " + holder(descriptor_) +
                        " is using it; wait until it ends or choose another folder");
    }
  } while (!is_file_at(path_, descriptor_));
  const auto number = std::to_string(::getpid());
  if (::ftruncate(descriptor_.get(), 0) != 0 || !write_all(descriptor_, std::as_bytes(std::span(number)))) {
    const int reason = errno;
    ::unlink(path_.c_str());
    errno = reason;
    throw_io_error(path_, "write");
  }
}

FileLock::~FileLock() { [[maybe_unused]] const int ignored = ::unlink(path_.c_str()); }

}  // namespace gloss
