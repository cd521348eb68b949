#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_set>

namespace gloss {

/// oneDNN compiles a kernel for each size of a block of a product, in each thread, when it first needs it. If memory
/// for the code is missing or may not become executable, LibTorch calls the kernel nevertheless and the process dies.
/// These functions therefore try the memory first.

/// Returns whether a process may run code that it wrote, which systemd's MemoryDenyWriteExecute=, PR_SET_MDWE and
/// SELinux can forbid. Throws std::bad_alloc if there is no memory to try it with.
bool may_compile_kernels();

/// Guards a call that compiles a kernel; other threads wait. Throws std::bad_alloc if the address space is too small.
/// If a kernel nevertheless cannot be compiled, the process ends with the exit code and the message for insufficient
/// memory.
class KernelCompilation {
 public:
  KernelCompilation();
  ~KernelCompilation();
  KernelCompilation(const KernelCompilation&) = delete;
  KernelCompilation& operator=(const KernelCompilation&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
};

/// Identifies a kernel of block products: sizes, strides, whether it adds, and the type of its factors.
struct KernelKey {
  std::int64_t rows, columns, terms, left_stride, right_stride, out_stride;
  bool add, bfloat16;

  bool operator==(const KernelKey&) const = default;
};

struct KernelKeyHash {
  std::size_t operator()(const KernelKey& key) const;
};

/// Calls `product`, which uses the kernel of this key; guarded if it is the thread's first call of that kernel.
template <typename Product>
void with_kernel(const KernelKey& key, const Product& product) {
  thread_local std::unordered_set<KernelKey, KernelKeyHash> compiled;
  if (compiled.contains(key)) return product();
  {
    const KernelCompilation compilation;
    product();
  }
  compiled.insert(key);
}

}  // namespace gloss
