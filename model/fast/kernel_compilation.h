#pragma once

#include <cstdint>
#include <unordered_set>

namespace gloss {

/// oneDNN compiles a kernel for each size of a block of a product, in each thread, when it first meets it. Where memory
/// for the code cannot be had, or may not become executable, LibTorch calls the kernel all the same and the process
/// dies. So the memory is tried first.

/// Whether a process may run code that it wrote, which systemd's MemoryDenyWriteExecute=, PR_SET_MDWE and SELinux can
/// forbid. Throws std::bad_alloc where there is no memory to try it with.
bool may_compile_kernels();

/// Stands around a call that compiles a kernel. Throws std::bad_alloc where the address space has no room for kernels
/// of all threads. A kernel that could not be compiled all the same ends the process with the code and the message of
/// memory that ran out.
class KernelCompilation {
 public:
  KernelCompilation();
  ~KernelCompilation();
  KernelCompilation(const KernelCompilation&) = delete;
  KernelCompilation& operator=(const KernelCompilation&) = delete;
};

/// Which kernel of block products: sizes, strides, whether it adds, and the type of its factors.
struct KernelKey {
  std::int64_t rows, columns, terms, left_stride, right_stride, out_stride;
  bool add, bfloat16;

  bool operator==(const KernelKey&) const = default;
};

struct KernelKeyHash {
  std::size_t operator()(const KernelKey& key) const;
};

/// Calls `product`, which goes through the kernel of this key, guarded where it is the thread's first.
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
