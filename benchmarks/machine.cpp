#include "benchmarks/machine.h"

#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <sys/resource.h>
#include <torch/csrc/api/include/torch/cuda.h>
#include <torch/version.h>
#if TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= 9
#include <c10/core/CachingDeviceAllocator.h>
#endif

#include "benchmarks/study/best_seconds.h"

namespace gloss {

double matrix_peak(at::Device device, at::ScalarType type) {
  const auto options = at::device(device).dtype(type);
  const auto a = at::randn({4096, 512}, options), b = at::randn({2048, 512}, options);
  const double seconds = study::best_seconds(8, [&] {
    at::linear(a, b);
    if (device.is_cuda()) torch::cuda::synchronize();
  });
  return 2.0 * 4096 * 512 * 2048 / seconds;
}

std::optional<std::int64_t> peak_memory_mib(at::Device device) {
  if (device.is_cuda()) {
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

}  // namespace gloss
