#include "benchmarks/machine.h"

#include <algorithm>
#include <chrono>
#include <limits>

#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <sys/resource.h>
#include <torch/csrc/api/include/torch/cuda.h>

namespace gloss {

double matrix_peak(at::Device device) {
  using Clock = std::chrono::steady_clock;
  const auto options = at::device(device).dtype(at::kFloat);
  const auto a = at::randn({4096, 512}, options), b = at::randn({2048, 512}, options);
  double best = std::numeric_limits<double>::max();
  for (int i = 0; i < 8; ++i) {
    const auto start = Clock::now();
    at::linear(a, b);
    if (device.is_cuda()) torch::cuda::synchronize();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return 2.0 * 4096 * 512 * 2048 / best;
}

std::int64_t peak_memory_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss / 1024;
}

}  // namespace gloss
