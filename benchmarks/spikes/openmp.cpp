// One OpenMP run-time, parallel loops of our own, and kernels built once for each kind of CPU.
//
//   for k in "plain" "avx2 -mavx2 -mfma" "avx512 -mavx512f -mavx512bw -mavx512vl -mavx512dq"; do set -- $k
//     g++ -O3 -std=c++20 -DGLOSS_KERNEL=$1 ${@:2} -c openmp.cpp -o kernel_$1.o; done
//   g++ -O2 -std=c++20 -fopenmp -isystem $LIBTORCH/include openmp.cpp kernel_*.o -o openmp -L$LIBTORCH/lib
//     -Wl,--no-as-needed -Wl,-rpath,$LIBTORCH/lib -ltorch_cpu -lc10 $LIBTORCH/lib/libgomp.so.1
//   ./openmp        (built without -fopenmp, it shows one thread in the parallel loop)
#include <cstddef>
#include <cstdint>

#ifdef GLOSS_KERNEL

namespace gloss::GLOSS_KERNEL {

// Dropout by Philox4x32-10. 64 elements a round: the four words of 16 counters; counter and key name the elements.
void dropout(const float* x, float* y, int64_t first_block, int64_t blocks, uint64_t seed, uint64_t stream,
             uint32_t threshold, float scale) {
  constexpr int kLanes = 16;
  for (int64_t block = first_block; block < first_block + blocks; ++block) {
    uint32_t c[4][kLanes];
    for (int i = 0; i < kLanes; ++i) {
      const uint64_t counter = static_cast<uint64_t>(block) * kLanes + i;
      c[0][i] = static_cast<uint32_t>(counter);
      c[1][i] = static_cast<uint32_t>(counter >> 32);
      c[2][i] = static_cast<uint32_t>(stream);
      c[3][i] = static_cast<uint32_t>(stream >> 32);
    }
    uint32_t key0 = static_cast<uint32_t>(seed), key1 = static_cast<uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < kLanes; ++i) {
        const uint64_t product0 = uint64_t{0xD2511F53} * c[0][i], product1 = uint64_t{0xCD9E8D57} * c[2][i];
        c[0][i] = static_cast<uint32_t>(product1 >> 32) ^ c[1][i] ^ key0;
        c[2][i] = static_cast<uint32_t>(product0 >> 32) ^ c[3][i] ^ key1;
        c[1][i] = static_cast<uint32_t>(product1);
        c[3][i] = static_cast<uint32_t>(product0);
      }
      key0 += 0x9E3779B9;
      key1 += 0xBB67AE85;
    }
    for (int word = 0; word < 4; ++word) {
      const float* from = x + block * 64 + word * kLanes;
      float* to = y + block * 64 + word * kLanes;
      for (int i = 0; i < kLanes; ++i) to[i] = c[word][i] >= threshold ? from[i] * scale : 0.0F;
    }
  }
}

}  // namespace gloss::GLOSS_KERNEL

#else

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace gloss {

using DropoutKernel = void(const float*, float*, int64_t, int64_t, uint64_t, uint64_t, uint32_t, float);
namespace plain {
DropoutKernel dropout;
}
namespace avx2 {
DropoutKernel dropout;
}
namespace avx512 {
DropoutKernel dropout;
}

namespace {

DropoutKernel* best_kernel() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    return avx512::dropout;
  }
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2::dropout : plain::dropout;
}

void apply_dropout(DropoutKernel* kernel, const at::Tensor& x, at::Tensor& y) {  // p = 0.3
  const float* from = x.const_data_ptr<float>();
  float* to = y.mutable_data_ptr<float>();
  at::parallel_for(0, x.numel() / 64, 512, [&](int64_t begin, int64_t end) {
    kernel(from, to, begin, end - begin, 42, 7, 1288490189U, 1.0F / 0.7F);
  });
}

void show_run_times() {
  std::set<std::string> found;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t name = line.rfind('/');
    if (name == std::string::npos) continue;
    for (const char* kind : {"gomp", "iomp", "libomp"}) {
      if (line.find(kind, name) != std::string::npos) found.insert(line.substr(name + 1));
    }
  }
  std::printf("OpenMP run-times loaded: %zu", found.size());
  for (const std::string& name : found) std::printf(" %s", name.c_str());
  std::set<std::thread::id> threads;
  std::mutex mutex;
  at::parallel_for(0, 64, 1, [&](int64_t, int64_t) {
    const std::lock_guard lock(mutex);
    threads.insert(std::this_thread::get_id());
  });
  std::printf("\nat::parallel_for in this file: %zu of %d threads\n", threads.size(), at::get_num_threads());
}

double median_rate(int64_t elements, const std::function<void()>& job) {
  std::vector<double> rates;
  for (int i = 0; i < 12; ++i) {
    const auto start = std::chrono::steady_clock::now();
    job();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (i > 0) rates.push_back(static_cast<double>(elements) / seconds / 1e6);
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

}  // namespace
}  // namespace gloss

int main() {
  at::set_num_threads(2);
  gloss::show_run_times();
  const at::Tensor x = at::randn({4096, 256});
  at::Tensor wanted = at::empty_like(x), y = at::empty_like(x);
  gloss::apply_dropout(gloss::plain::dropout, x, wanted);
  std::printf("kept %.4f, wanted 0.7\n", wanted.ne(0).to(at::kDouble).mean().item<double>());
  for (const int threads : {1, 2}) {
    at::set_num_threads(threads);
    const auto time = [&](const char* name, gloss::DropoutKernel* kernel) {
      const double rate = gloss::median_rate(x.numel(), [&] { gloss::apply_dropout(kernel, x, y); });
      std::printf("  %s %.0f%s%s", name, rate, y.equal(wanted) ? "" : " DIFFERS",
                  kernel == gloss::best_kernel() ? " (chosen)" : "");
    };
    std::printf("%d threads, million elements/s:", threads);
    time("plain", gloss::plain::dropout);
    if (__builtin_cpu_supports("avx2")) time("avx2", gloss::avx2::dropout);
    if (__builtin_cpu_supports("avx512dq")) time("avx512", gloss::avx512::dropout);
    std::printf("  at::dropout %.0f", gloss::median_rate(x.numel(), [&] { at::dropout(x, 0.3, true); }));
    std::printf("  at::mul %.0f\n", gloss::median_rate(x.numel(), [&] { at::mul_out(y, x, x); }));
  }
}

#endif
