#include "tensor/caching_allocator.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include <ATen/Context.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
#include <c10/core/CachingDeviceAllocator.h>
#endif

namespace gloss {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kClassesAbove = 2;  // a block may be up to 1.5 times as large as the request
constexpr std::size_t kCachedHalves = 3;  // used and cached blocks take at most 3 halves of the peak use

/// Precedes the bytes of a block, in a cache line of its own.
struct Header {
  std::size_t size_class;
  Header* next_free;
};
static_assert(sizeof(Header) <= kAlignment);

/// Returns the smallest class of at least `bytes` (64 or more). There are four classes from each power of two to the
/// next.
std::size_t class_of(std::size_t bytes) {
  const std::size_t power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power + 1)
  return power * 4 + ((bytes - 1) >> (power - 2)) - 4;
}

std::size_t bytes_of(std::size_t size_class) { return (size_class % 4 + 5) << (size_class / 4 - 2); }

/// Takes some of the process's address space while it lives.
class KeptMemory {
 public:
  explicit KeptMemory(std::size_t bytes) : bytes_(bytes) {
    if (bytes > 0) memory_ = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  ~KeptMemory() {
    if (bytes_ > 0 && is_there()) ::munmap(memory_, bytes_);
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

  bool is_there() const { return memory_ != MAP_FAILED; }

 private:
  std::size_t bytes_;
  void* memory_ = nullptr;
};

class CachingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release, c10::Device(c10::DeviceType::CPU)};
    if (bytes > std::numeric_limits<std::size_t>::max() / 4) throw std::bad_alloc();
    auto* block = take(class_of(std::max(bytes, kAlignment)));
    auto* const data = reinterpret_cast<std::byte*>(block) + kAlignment;
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }

  // oneDNN's operations allocate memory without a DataPtr, so the context must be the data itself.
  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

  void keep_free(std::size_t bytes) { kept_free_ = bytes; }
  bool is_free() {
    if (KeptMemory(kept_free_).is_there()) return true;
    release_free();
    return KeptMemory(kept_free_).is_there();
  }

  void release_free() {
    const std::lock_guard lock(mutex_);
    trim_cache(0);
  }

 private:
  Header* take(std::size_t size_class) {
    const std::lock_guard lock(mutex_);
    // A slightly larger cached block is better than a new one: batch sizes vary from step to step.
    for (auto larger = size_class; larger <= size_class + kClassesAbove; ++larger) {
      if (auto*& list = free_[larger]; list != nullptr) {
        cached_ -= bytes_of(larger);
        count_used(larger);
        return std::exchange(list, list->next_free);
      }
    }
    const auto used = used_ + bytes_of(size_class);
    trim_cache(std::max(peak_used_, used) / 2 * kCachedHalves - used);
    const auto bytes = (bytes_of(size_class) + 2 * kAlignment - 1) / kAlignment * kAlignment;
    void* memory = allocate_block(bytes);
    if (memory == nullptr) {
      trim_cache(0);
      memory = allocate_block(bytes);
    }
    if (memory == nullptr) throw std::bad_alloc();
    count_used(size_class);
    return new (memory) Header{size_class, nullptr};
  }

  /// Returns null if the kept bytes would not be free beside the block.
  void* allocate_block(std::size_t bytes) {
    const KeptMemory kept(kept_free_);
    return kept.is_there() ? std::aligned_alloc(kAlignment, bytes) : nullptr;
  }

  void count_used(std::size_t size_class) {
    used_ += bytes_of(size_class);
    peak_used_ = std::max(peak_used_, used_);
  }

  // Frees cached blocks, largest first, until at most `bytes` are cached.
  void trim_cache(std::size_t bytes) {
    for (auto size_class = free_.size(); size_class-- > 0 && cached_ > bytes;) {
      for (auto*& list = free_[size_class]; list != nullptr && cached_ > bytes;) {
        std::free(std::exchange(list, list->next_free));
        cached_ -= bytes_of(size_class);
      }
    }
  }

  static void release(void* data);

  std::atomic<std::size_t> kept_free_ = 0;  ///< bytes
  std::mutex mutex_;
  std::array<Header*, 256> free_{};
  std::size_t used_ = 0, cached_ = 0, peak_used_ = 0;  ///< bytes
};

/// Never destroyed: tensors outlive static objects.
CachingAllocator& caching_allocator() {
  static auto* const blocks = new CachingAllocator;
  return *blocks;
}

void CachingAllocator::release(void* data) {
  if (data == nullptr) return;
  auto& blocks = caching_allocator();
  auto* const block = reinterpret_cast<Header*>(static_cast<std::byte*>(data) - kAlignment);
  const std::lock_guard lock(blocks.mutex_);
  block->next_free = std::exchange(blocks.free_[block->size_class], block);
  blocks.used_ -= bytes_of(block->size_class);
  blocks.cached_ += bytes_of(block->size_class);
}

}  // namespace

void use_caching_allocator() { c10::SetCPUAllocator(&caching_allocator(), /*priority=*/1); }

void keep_memory_free(std::size_t bytes) { caching_allocator().keep_free(bytes); }

bool is_memory_free() { return caching_allocator().is_free(); }

void release_cached_memory() {
  caching_allocator().release_free();
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
  // cuBLAS and cuDNN may lack memory that LibTorch keeps.
  if (!at::hasCUDA()) return;
  if (auto* const of_gpu = c10::getDeviceAllocator(at::kCUDA); of_gpu->initialized()) of_gpu->emptyCache();
#endif
}

}  // namespace gloss
