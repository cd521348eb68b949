// A library to be preloaded, in which the call number GLOSS_FAULT_AT, from 1, for memory without a file (mmap, by
// others than the C library itself) fails with ENOMEM. GLOSS_FAULT_REPORT: a file that is
// made when it does.

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<long> calls = 0;

long number_of_fault() {
  const char* const at = std::getenv("GLOSS_FAULT_AT");
  return at == nullptr ? 0 : std::atol(at);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" void* mmap(void* address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  if ((flags & MAP_ANONYMOUS) != 0 && ++calls == number_of_fault()) {
    if (const char* const report = std::getenv("GLOSS_FAULT_REPORT"); report != nullptr)
      ::close(::open(report, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    errno = ENOMEM;
    return MAP_FAILED;
  }
  const long result = ::syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
  return reinterpret_cast<void*>(result);
}
#pragma GCC visibility pop
