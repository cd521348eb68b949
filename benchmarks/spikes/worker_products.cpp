// Does a product have the bits of one thread in a worker of at::parallel_for, and in a thread that set its number to 1?
//
// Compares at::linear and at::matmul in three workers with one thread, with four threads set in the main one.
//   g++ -O2 -std=c++20 -fopenmp -isystem $LIBTORCH/include worker_products.cpp -o worker_products -L$LIBTORCH/lib
//     -Wl,--no-as-needed -Wl,-rpath,$LIBTORCH/lib -ltorch_cpu -lc10 $LIBTORCH/lib/libgomp.so.1
//   ./worker_products; ATEN_CPU_CAPABILITY=avx2 MKL_ENABLE_INSTRUCTIONS=AVX2 ./worker_products
// Prints the number of products that differ.
#include <array>
#include <cstdio>
#include <cstring>
#include <thread>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace gloss {
namespace {

constexpr int kWorkers = 3, kRepetitions = 5;

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return std::memcmp(a.const_data_ptr(), b.const_data_ptr(), a.nbytes()) == 0;
}

using Products = std::array<at::Tensor, kWorkers>;

template <typename Product>
Products in_parallel_for(const Product& product) {
  Products products;
  at::parallel_for(0, kWorkers, 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) products[static_cast<std::size_t>(i)] = product();
  });
  return products;
}

template <typename Product>
Products in_threads_of_one(const Product& product) {
  Products products;
  std::array<std::thread, kWorkers> threads;
  for (std::size_t i = 0; i < kWorkers; ++i)
    threads[i] = std::thread([&, i] {
      at::get_num_threads();
      at::set_num_threads(1);
      products[i] = product();
    });
  for (auto& thread : threads) thread.join();
  return products;
}

int run() {
  int compared = 0, of_parallel_for = 0, of_threads = 0;
  const auto compare = [&](const auto& product) {
    at::set_num_threads(1);
    const auto wanted = product();
    bool first_differs = false, second_differs = false;
    for (int i = 0; i < kRepetitions; ++i) {
      at::set_num_threads(4);
      for (const auto& found : in_parallel_for(product)) first_differs |= !same_bits(found, wanted);
      for (const auto& found : in_threads_of_one(product)) second_differs |= !same_bits(found, wanted);
    }
    ++compared;
    of_parallel_for += first_differs ? 1 : 0;
    of_threads += second_differs ? 1 : 0;
  };
  at::manual_seed(1);
  for (const std::int64_t M : {1, 2, 3, 40, 41, 60})
    for (const std::int64_t K : {8, 64, 128, 512, 1024})
      for (const std::int64_t N : {20, 40, 41, 512, 1024}) {
        const auto x = at::randn({M, K}), weight = at::randn({N, K}), bias = at::randn({N});
        compare([&] { return at::linear(x, weight, bias); });
        const auto a = at::randn({4, M, K}), b = at::randn({4, K, N});
        compare([&] { return at::matmul(a, b); });
      }
  std::printf("of %d products %d differ in at::parallel_for, %d in threads with a number of 1\n", compared,
              of_parallel_for, of_threads);
  return 0;
}

}  // namespace
}  // namespace gloss

int main() { return gloss::run(); }
