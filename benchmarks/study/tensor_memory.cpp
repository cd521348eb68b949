#include "benchmarks/study/tensor_memory.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include <c10/core/CPUAllocator.h>

namespace gloss::study {
namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::uint8_t kPriority = 2;  // above that of the caching allocator

std::atomic<std::int64_t> used{0}, peak_used{0};

/// Precedes each block, in a cache line of its own, with the block's bytes.
class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    if (bytes == 0) return {nullptr, nullptr, &release, c10::Device(c10::DeviceType::CPU)};
    const auto rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    auto* const block = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded + kAlignment));
    if (block == nullptr) throw std::bad_alloc();
    std::memcpy(block, &bytes, sizeof bytes);
    const auto now = used += static_cast<std::int64_t>(bytes);
    for (auto peak = peak_used.load(); peak < now && !peak_used.compare_exchange_weak(peak, now);) {
    }
    auto* const data = block + kAlignment;
    return {data, data, &release, c10::Device(c10::DeviceType::CPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

 private:
  static void release(void* data) {
    if (data == nullptr) return;
    auto* const block = static_cast<std::byte*>(data) - kAlignment;
    std::size_t bytes = 0;
    std::memcpy(&bytes, block, sizeof bytes);
    used -= static_cast<std::int64_t>(bytes);
    std::free(block);
  }
};

/// Never destroyed: tensors outlive static objects.
CountingAllocator& counting_allocator() {
  static auto* const allocator = new CountingAllocator;
  return *allocator;
}

}  // namespace

TensorMemory::TensorMemory() : previous_(c10::GetCPUAllocator()) {
  used = 0;
  peak_used = 0;
  c10::SetCPUAllocator(&counting_allocator(), kPriority);
}

TensorMemory::~TensorMemory() { c10::SetCPUAllocator(previous_, kPriority); }

std::int64_t TensorMemory::peak() const { return peak_used; }

}  // namespace gloss::study
