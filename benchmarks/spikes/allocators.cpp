// Time and peak memory of a training step with several allocators.
//
// Runs the tensors of a small Transformer's training step (4 layers, d_model 128, vocabulary 10,000, ragged batches of
// some 4,096 tokens) under one allocator: glibc's as it is, glibc with raised thresholds, or free lists of our own.
//   g++ -O2 -std=c++20 -fopenmp -isystem $LIBTORCH/include allocators.cpp -o allocators -L$LIBTORCH/lib
//     -Wl,--no-as-needed -Wl,-rpath,$LIBTORCH/lib -ltorch_cpu -lc10 $LIBTORCH/lib/libgomp.so.1
//   ./allocators plain; ./allocators thresholds; ./allocators caching; LD_PRELOAD=libjemalloc.so.2 ./allocators plain
// Prints the median milliseconds a step, the page faults a step and the peak resident set.
#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <malloc.h>
#include <sys/resource.h>

namespace gloss {
namespace {

// Keeps freed blocks in lists by size class, four classes to a doubling, so a block is at most a quarter too large.
class CachingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    const size_t size_class = class_of(std::max<size_t>(bytes, 64));
    void* block = nullptr;
    {
      const std::lock_guard lock(mutex_);
      std::vector<void*>& list = free_[size_class];
      if (!list.empty()) {
        block = list.back();
        list.pop_back();
      }
    }
    if (block == nullptr) block = std::aligned_alloc(kAlignment, bytes_of(size_class) + kAlignment);
    if (block == nullptr) throw std::bad_alloc();
    *static_cast<size_t*>(block) = size_class;  // a header of one cache line, so the data stay aligned
    return {static_cast<char*>(block) + kAlignment, block, &release, c10::Device(c10::DeviceType::CPU)};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }

 private:
  static constexpr size_t kAlignment = 64;

  static size_t class_of(size_t bytes) {
    const size_t power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power + 1)
    return power * 4 + ((bytes - 1) >> (power - 2)) - 4;
  }
  static size_t bytes_of(size_t size_class) { return (size_class % 4 + 5) << (size_class / 4 - 2); }
  static void release(void* block) {
    const std::lock_guard lock(mutex_);
    free_[*static_cast<size_t*>(block)].push_back(block);
  }

  static inline std::mutex mutex_;
  static inline std::array<std::vector<void*>, 256> free_;
};

constexpr int64_t kModel = 128, kInner = 256, kHeads = 4, kVocabulary = 10000;

struct Layer {
  at::Tensor qkv, output, inner, outer;
};

at::Tensor parameter(at::IntArrayRef shape) { return (at::randn(shape) * 0.05).requires_grad_(); }

at::Tensor run_layer(const Layer& layer, at::Tensor x) {
  const int64_t sentences = x.size(0), length = x.size(1);
  auto parts = at::linear(at::layer_norm(x, {kModel}), layer.qkv)
                   .view({sentences, length, 3, kHeads, kModel / kHeads})
                   .permute({2, 0, 3, 1, 4})
                   .unbind(0);
  at::Tensor y = at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, true);
  y = at::linear(y.transpose(1, 2).reshape({sentences, length, kModel}), layer.output);
  x = x + at::dropout(y, 0.3, true);
  y = at::dropout(at::relu(at::linear(at::layer_norm(x, {kModel}), layer.inner)), 0.3, true);
  return x + at::dropout(at::linear(y, layer.outer), 0.3, true);
}

void run(int steps) {
  at::manual_seed(1);
  const at::Tensor embedding = parameter({kVocabulary, kModel});
  std::vector<Layer> layers;
  std::vector<at::Tensor> parameters = {embedding};
  for (int i = 0; i < 4; ++i) {
    layers.push_back({parameter({3 * kModel, kModel}), parameter({kModel, kModel}), parameter({kInner, kModel}),
                      parameter({kModel, kInner})});
    const Layer& layer = layers.back();
    parameters.insert(parameters.end(), {layer.qkv, layer.output, layer.inner, layer.outer});
  }
  std::vector<double> times;
  rusage usage{};
  int64_t faults = 0;
  for (int step = 0; step < steps + 3; ++step) {
    const int64_t length = 9 + (step * 7) % 23, sentences = 4096 / length;  // ragged: another shape at every step
    const at::Tensor ids = at::randint(4, kVocabulary, {sentences, length}, at::kLong);
    if (step == 3) {
      getrusage(RUSAGE_SELF, &usage);
      faults = usage.ru_minflt;
    }
    const auto start = std::chrono::steady_clock::now();
    at::Tensor x = at::embedding(embedding, ids);
    for (const Layer& layer : layers) x = run_layer(layer, x);
    const at::Tensor scores = at::log_softmax(at::linear(x, embedding).view({-1, kVocabulary}), -1);
    at::nll_loss(scores, ids.view(-1)).backward();
    for (at::Tensor& tensor : parameters) {
      tensor.mutable_grad().mul_(-1e-3);
      tensor.detach().add_(tensor.grad());
      tensor.mutable_grad() = at::Tensor();
    }
    if (step >= 3) times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  std::sort(times.begin(), times.end());
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%6.0f ms a step %8ld page faults a step %6ld MiB peak\n", times[times.size() / 2] * 1e3,
              static_cast<long>((usage.ru_minflt - faults) / steps), usage.ru_maxrss / 1024);
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "plain";
  if (kind == "thresholds") {  // before the first large block
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 2047 << 20);
  }
  static gloss::CachingAllocator caching;
  if (kind == "caching") c10::SetCPUAllocator(&caching, 1);
  at::set_num_threads(2);
  gloss::run(23);
}
