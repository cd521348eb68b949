#include "benchmarks/study/measuring.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <c10/core/CPUAllocator.h>
#include <sys/resource.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
#include <c10/core/CachingDeviceAllocator.h>
#endif

#include "common/random.h"
#include "tensor/accelerator.h"

namespace gloss {
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

#if defined(__x86_64__)
constexpr std::int64_t kSums = 15;  // in flight, more than enough to hide the latency

// Rounds of an instruction that adds products of zmm15 with itself to zmm0 to zmm14, all of them 0.
#define GLOSS_DOT_PRODUCTS(instruction, rounds)                                                                 \
  asm volatile(                                                                                                 \
      ".irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n\tvpxord %%zmm\\n, %%zmm\\n, %%zmm\\n\n\t.endr\n"          \
      "1:\n\t.irp n,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14\n\t" instruction                                         \
      " %%zmm15, %%zmm15, %%zmm\\n\n\t.endr\n\tdec %0\n\tjnz 1b\n\tvzeroupper"                                  \
      : "+r"(rounds)                                                                                            \
      :                                                                                                         \
      : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", \
        "xmm12", "xmm13", "xmm14", "xmm15")
#endif

}  // namespace

int run_benchmark(const char* name, const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const std::exception& fault) {
    std::cerr << name << ": " << fault.what() << '\n';
    return 1;
  }
}

double matrix_peak(at::Device device, at::ScalarType type) {
  const auto options = at::device(device).dtype(type);
  const auto a = at::randn({4096, 512}, options), b = at::randn({2048, 512}, options);
  const double seconds = best_seconds(8, [&] {
    at::linear(a, b);
    wait_for_device(device);
  });
  return 2.0 * 4096 * 512 * 2048 / seconds;
}

double dot_product_peak(WeightPrecision precision) {
#if defined(__x86_64__)
  constexpr std::int64_t kRounds = 4'000'000;
  const auto peak = [](const auto& run, double operations) {
    return operations * kRounds * kSums / best_seconds(5, [&] { run(kRounds); });
  };
  if (precision == WeightPrecision::kInt8 && __builtin_cpu_supports("avx512vnni"))
    return peak([](std::int64_t rounds) { GLOSS_DOT_PRODUCTS("vpdpbusd", rounds); }, 2.0 * 64);
  if (precision == WeightPrecision::kBfloat16 && __builtin_cpu_supports("avx512bf16"))
    return peak([](std::int64_t rounds) { GLOSS_DOT_PRODUCTS("vdpbf16ps", rounds); }, 2.0 * 32);
#endif
  return 0;
}

std::optional<std::int64_t> peak_memory_mib(at::Device device) {
  if (is_accelerator(device)) {
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
    const auto stats = c10::getDeviceAllocator(device.type())->getDeviceStats(device.has_index() ? device.index() : 0);
    return stats.allocated_bytes.front().peak >> 20;  // the first is of all pools
#else
    return std::nullopt;
#endif
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

TensorMemory::TensorMemory() : previous_(c10::GetCPUAllocator()) {
  used = 0;
  peak_used = 0;
  c10::SetCPUAllocator(&counting_allocator(), kPriority);
}

TensorMemory::~TensorMemory() { c10::SetCPUAllocator(previous_, kPriority); }

std::int64_t TensorMemory::peak() const { return peak_used; }

at::Tensor random_normal(const std::vector<std::int64_t>& shape, std::string_view name) {
  const RandomStream random(1, name);
  auto values = at::empty(shape, at::kFloat);
  auto* const data = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i)
    data[i] = static_cast<float>(random.normal(static_cast<std::uint64_t>(i)));
  return values;
}

std::vector<Ids> random_sentences(std::int64_t count, std::int64_t length, std::int64_t vocabulary,
                                  std::string_view name) {
  const RandomStream random(1, name);
  std::uint64_t drawn = 0;
  std::vector<Ids> sentences(static_cast<std::size_t>(count), Ids(static_cast<std::size_t>(length)));
  for (auto& sentence : sentences) {
    for (auto& id : sentence)
      id = static_cast<Id>(kSpecialIds + random.below(static_cast<std::uint64_t>(vocabulary - kSpecialIds), drawn++));
    sentence.back() = kEos;
  }
  return sentences;
}

}  // namespace gloss
