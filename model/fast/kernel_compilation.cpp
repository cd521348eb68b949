#include "model/fast/kernel_compilation.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <new>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

#include "common/error.h"

namespace gloss {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;  // oneDNN takes 256 KiB for a kernel's code

std::mutex one_at_a_time;  // so that the memory that was tried is left for the compilation

// A signal handler reads it, so it must be accessible without a call.
[[gnu::tls_model("initial-exec")]] thread_local volatile std::sig_atomic_t compiling = 0;
struct sigaction previous;

class Mapping {
 public:
  explicit Mapping(std::size_t bytes)
      : bytes_(bytes), data_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  ~Mapping() { ::munmap(data_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  /// Returns false, with errno set, if the system refuses.
  bool make_executable() { return ::mprotect(data_, bytes_, PROT_READ | PROT_WRITE | PROT_EXEC) == 0; }

 private:
  std::size_t bytes_;
  void* data_;
};

extern "C" void end_compilation(int signal) {
  if (compiling != 0) {
    constexpr std::string_view kMessage = "gloss: out of memory: none for the code of a product of matrices\n";
    static_cast<void>(!::write(STDERR_FILENO, kMessage.data(), kMessage.size()));
    ::_exit(static_cast<int>(ExitCode::kOutOfMemory));
  }
  ::sigaction(signal, &previous, nullptr);  // the instruction faults again, with the former effect
}

bool catch_faults() {
  struct sigaction action {};
  action.sa_handler = end_compilation;
  sigemptyset(&action.sa_mask);
  return ::sigaction(SIGSEGV, &action, &previous) == 0;
}

}  // namespace

bool may_compile_kernels() {
  Mapping mapping(kBytes);
  if (mapping.make_executable()) return true;
  if (errno == ENOMEM) throw std::bad_alloc();
  return false;
}

KernelCompilation::KernelCompilation() : lock_(one_at_a_time) {
  static const bool caught = catch_faults();
  static_cast<void>(caught);
  Mapping room(kBytes);
  if (!room.make_executable()) throw std::bad_alloc();
  compiling = 1;
}

KernelCompilation::~KernelCompilation() { compiling = 0; }

std::size_t KernelKeyHash::operator()(const KernelKey& key) const {
  std::size_t hash = key.add ? 1 : 0;
  for (const auto part : {key.rows, key.columns, key.terms, key.left_stride, key.right_stride, key.out_stride,
                          std::int64_t{key.bfloat16}})
    hash = hash * 0x9E3779B97F4A7C15 + static_cast<std::size_t>(part);
  return hash ^ hash >> 32;
}

}  // namespace gloss
