// Which settings make a second training end in the same bits?
//
// Trains a small model for 50 updates and prints a hash of its parameters. A disturbed run allocates odd sizes astray
// between updates and goes on from a copy of its state after update 25.
//   g++ -O2 -std=c++20 -fopenmp -isystem $LIBTORCH/include same_bits.cpp -o same_bits -L$LIBTORCH/lib
//     -Wl,--no-as-needed -Wl,-rpath,$LIBTORCH/lib -ltorch_cpu -lc10 $LIBTORCH/lib/libgomp.so.1
//   ./same_bits 2 deterministic,no_fill; A=long_value ./same_bits 2 deterministic,no_fill,disturb
// Settings: deterministic, no_fill, dynamic_off, disturb, misaligned (blocks at 16, 32, 48 bytes past 64 by turns),
// worker (train in a thread of its own), worker_set (the same, and the number of threads set there as well).
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <omp.h>

namespace gloss {
namespace {

class MisalignedAllocator final : public c10::Allocator {
 public:
  explicit MisalignedAllocator(size_t turn) : turn_(turn) {}
  c10::DataPtr allocate(size_t bytes) override {
    void* block = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
    return {static_cast<char*>(block) + 16 * (turn_++ % 4), block, &std::free, c10::Device(c10::DeviceType::CPU)};
  }
  void copy_data(void* to, const void* from, size_t bytes) const override { std::memcpy(to, from, bytes); }

 private:
  size_t turn_;
};

constexpr int64_t kModel = 128, kHeads = 4, kVocabulary = 1000, kLayers = 2, kPerLayer = 6;

at::Tensor dropout(const at::Tensor& x, at::Generator& random) {
  return x * at::bernoulli(at::full_like(x, 0.7), random) / 0.7;
}

at::Tensor loss_of(const std::vector<at::Tensor>& p, const at::Tensor& ids, at::Generator& random) {
  const int64_t sentences = ids.size(0), length = ids.size(1);
  at::Tensor x = dropout(at::embedding(p[0], ids), random);
  for (int64_t i = 0; i < kLayers; ++i) {
    const at::Tensor* w = &p[1 + i * kPerLayer];
    auto parts = at::linear(at::layer_norm(x, {kModel}, w[4], w[5]), w[0])
                     .view({sentences, length, 3, kHeads, kModel / kHeads})
                     .permute({2, 0, 3, 1, 4})
                     .unbind(0);
    const at::Tensor y = at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, true);
    x = x + dropout(at::linear(y.transpose(1, 2).reshape({sentences, length, kModel}), w[1]), random);
    x = x + at::linear(dropout(at::relu(at::linear(x, w[2])), random), w[3]);
  }
  const at::Tensor kept = at::nonzero(ids.view(-1).ne(7)).view(-1);  // some rows only: index_select's backward adds
  const at::Tensor scores = at::log_softmax(at::linear(x.view({-1, kModel}).index_select(0, kept), p[0]), -1);
  return at::nll_loss(scores, ids.view(-1).index_select(0, kept)) - 1e-5 * scores.sum() / kVocabulary;
}

void train(const std::set<std::string>& settings) {
  at::manual_seed(1);
  std::vector<at::Tensor> p = {at::randn({kVocabulary, kModel}) * 0.05};
  for (int64_t i = 0; i < kLayers; ++i) {
    for (const auto& [out, in] :
         {std::pair<int64_t, int64_t>{3 * kModel, kModel}, {kModel, kModel}, {256, kModel}, {kModel, 256}}) {
      p.push_back(at::randn({out, in}) * 0.05);
    }
    p.push_back(at::ones({kModel}));
    p.push_back(at::zeros({kModel}));
  }
  std::vector<at::Tensor> m, v, steps;
  for (at::Tensor& tensor : p) {
    tensor.requires_grad_();
    m.push_back(at::zeros_like(tensor));
    v.push_back(at::zeros_like(tensor));
    steps.push_back(at::zeros({}));
  }
  std::vector<std::unique_ptr<char[]>> stray;
  for (int64_t update = 1; update <= 50; ++update) {
    if (settings.contains("disturb")) {
      for (int i = 0; i < 20; ++i) {
        stray.push_back(std::make_unique<char[]>((update * 7919 + i * 104729) % 300007 + 1));
        if (i % 3 == 0) stray.erase(stray.begin() + static_cast<std::ptrdiff_t>(stray.size() / 2));
      }
      for (auto* list : {&p, &m, &v, &steps}) {
        for (at::Tensor& tensor : *list) {
          if (update == 26) tensor = tensor.detach().clone().requires_grad_(tensor.requires_grad());
        }
      }
    }
    at::Generator random = at::detail::createCPUGenerator(static_cast<uint64_t>(update));
    const int64_t length = 5 + update * 5 % 31;
    const at::Tensor ids = at::randint(4, kVocabulary, {600 / length, length}, random, at::kLong).remainder(200);
    loss_of(p, ids, random).backward();
    const at::NoGradGuard no_gradients;
    std::vector<at::Tensor> gradients;
    for (at::Tensor& tensor : p) gradients.push_back(tensor.grad());
    for (at::Tensor& tensor : steps) tensor.add_(1);  // _fused_adam_ does not count; at 0 it divides by nought
    at::_fused_adam_(p, gradients, m, v, {}, steps, 1e-3, 0.9, 0.98, 0.0, 1e-9, false, false);
    for (at::Tensor& tensor : p) tensor.mutable_grad() = at::Tensor();
  }
  uint64_t hash = 1469598103934665603ULL;  // FNV-1a
  for (const at::Tensor& tensor : p) {
    const auto* bytes = static_cast<const unsigned char*>(tensor.const_data_ptr());
    for (size_t i = 0; i < tensor.nbytes(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ULL;
  }
  const bool finite = p[0].isfinite().all().item<bool>();
  std::printf("%016llx%s\n", static_cast<unsigned long long>(hash), finite ? "" : " NOT FINITE");
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  std::set<std::string> settings;
  std::istringstream list(argc > 2 ? argv[2] : "");
  for (std::string name; std::getline(list, name, ',');) settings.insert(name);
  static gloss::MisalignedAllocator misaligned(settings.contains("disturb") ? 1 : 0);
  if (settings.contains("misaligned")) c10::SetCPUAllocator(&misaligned, 1);
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  if (threads > 0) at::set_num_threads(threads);  // 0: as the environment says
  if (settings.contains("dynamic_off")) omp_set_dynamic(0);
  at::globalContext().setDeterministicAlgorithms(settings.contains("deterministic"), false);
  at::globalContext().setDeterministicFillUninitializedMemory(!settings.contains("no_fill"));
  const auto start = std::chrono::steady_clock::now();
  if (settings.contains("worker") || settings.contains("worker_set")) {
    std::thread([&] {
      if (settings.contains("worker_set")) at::set_num_threads(threads);
      gloss::train(settings);
    }).join();
  } else {
    gloss::train(settings);
  }
  std::fprintf(stderr, "%.2f s\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}
