// How fast are the matrix products at hand, and does a row's result depend on the rows beside it?
//
// Compares Y = X W^T + b as at::linear computes it (MKL), MKL with packed weights, and oneDNN with reordered weights.
//   g++ -O2 -std=c++20 -fopenmp -isystem $LIBTORCH/include products.cpp -o products -L$LIBTORCH/lib -Wl,--no-as-needed
//     -Wl,-rpath,$LIBTORCH/lib -ltorch_cpu -lc10 $LIBTORCH/lib/libgomp.so.1
//   ./products speed 1 && ./products speed 2 && ./products bits
// `speed THREADS` prints GFLOP/s, a line a shape. `bits` prints a letter for each number of rows: the same letter, the
// same bits in row 0; then how many rows of a batch of 320 equal rows differ from its first.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>

extern "C" {
// MKL's names, from mkl_cblas.h, which the wheel does not bring.
size_t cblas_sgemm_pack_get_size(int identifier, int m, int n, int k);
void cblas_sgemm_pack(int layout, int identifier, int transpose, int m, int n, int k, float alpha, const float* source,
                      int stride, float* packed);
void cblas_sgemm_compute(int layout, int transpose_a, int transpose_b, int m, int n, int k, const float* a,
                         int stride_a, const float* b, int stride_b, float beta, float* c, int stride_c);
}

namespace gloss {
namespace {

constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112, kPacked = 151, kMatrixB = 162;

struct Method {
  const char* name;
  std::function<at::Tensor(const at::Tensor&)> apply;
};

c10::OperatorHandle find_operator(const char* name) { return c10::Dispatcher::singleton().findSchemaOrThrow(name, ""); }

std::vector<Method> make_methods(const at::Tensor& weight, const at::Tensor& bias, int64_t rows) {
  const int outputs = static_cast<int>(weight.size(0)), inputs = static_cast<int>(weight.size(1));
  std::vector<Method> methods;
  methods.push_back({"linear", [=](const at::Tensor& x) { return at::linear(x, weight, bias); }});

  const size_t bytes = cblas_sgemm_pack_get_size(kMatrixB, 64, outputs, inputs);
  std::shared_ptr<float> packed(static_cast<float*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)), std::free);
  cblas_sgemm_pack(kRowMajor, kMatrixB, kTranspose, 64, outputs, inputs, 1.0F, weight.const_data_ptr<float>(), inputs,
                   packed.get());
  methods.push_back({"packed", [=](const at::Tensor& x) {
                       const int m = static_cast<int>(x.size(0));
                       at::Tensor y = at::empty({m, outputs});
                       y.copy_(bias.expand({m, outputs}));
                       cblas_sgemm_compute(kRowMajor, kNoTranspose, kPacked, m, outputs, inputs,
                                           x.const_data_ptr<float>(), inputs, packed.get(), inputs, 1.0F,
                                           y.mutable_data_ptr<float>(), outputs);
                       return y;
                     }});

  static const auto reorder =
      find_operator("mkldnn::_reorder_linear_weight").typed<at::Tensor(const at::Tensor&, std::optional<int64_t>)>();
  static const auto pointwise =
      find_operator("mkldnn::_linear_pointwise")
          .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&, std::string_view,
                            c10::List<std::optional<at::Scalar>>, std::optional<std::string_view>)>();
  const at::Tensor reordered = reorder.call(weight, rows);
  methods.push_back({"oneDNN", [=](const at::Tensor& x) {
                       return pointwise.call(x, reordered, bias, "none", c10::List<std::optional<at::Scalar>>(),
                                             std::nullopt);
                     }});
  return methods;
}

double seconds_of(const Method& method, const at::Tensor& x, int repeats) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) method.apply(x);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / repeats;
}

void measure_speed(const std::vector<int64_t>& row_counts, const std::vector<std::pair<int, int>>& shapes) {
  for (const int64_t rows : row_counts) {
    for (const auto& [inputs, outputs] : shapes) {
      const at::Tensor x = at::randn({rows, inputs});
      const at::Tensor weight = at::randn({outputs, inputs}), bias = at::randn({outputs});
      const double work = 2.0 * static_cast<double>(rows) * inputs * outputs;
      const int repeats = static_cast<int>(std::clamp(1e9 / work, 1.0, 2000.0));
      const std::vector<Method> methods = make_methods(weight, bias, rows);
      std::map<std::string, std::vector<double>> rates;
      for (int round = 0; round < 6; ++round) {  // methods alternate; the first round warms up
        for (const Method& method : methods) {
          const double rate = work / seconds_of(method, x, repeats) / 1e9;
          if (round > 0) rates[method.name].push_back(rate);
        }
      }
      std::printf("%5ld x %4d x %5d ", static_cast<long>(rows), inputs, outputs);
      for (auto& [name, values] : rates) {
        std::sort(values.begin(), values.end());
        std::printf("  %s %6.1f", name.c_str(), values[values.size() / 2]);
      }
      std::printf("\n");
    }
  }
}

void compare_bits(const std::vector<std::pair<int, int>>& shapes) {
  for (const auto& [inputs, outputs] : shapes) {
    const at::Tensor x = at::randn({320, inputs}), weight = at::randn({outputs, inputs}), bias = at::randn({outputs});
    for (const Method& method : make_methods(weight, bias, 64)) {
      std::map<std::string, char> letters;
      std::printf("%4d x %5d %s", inputs, outputs, method.name);
      for (const int threads : {1, 2}) {
        at::set_num_threads(threads);
        std::printf("  %d thread%s ", threads, threads > 1 ? "s" : "");
        for (const int64_t rows : {1, 2, 3, 5, 8, 16, 63, 64, 320}) {
          const at::Tensor y = method.apply(x.slice(0, 0, rows).contiguous());
          const std::string bits(static_cast<const char*>(y.const_data_ptr()), sizeof(float) * outputs);
          std::printf("%c", letters.emplace(bits, static_cast<char>('a' + letters.size())).first->second);
        }
        const at::Tensor same = method.apply(x.slice(0, 0, 1).expand({320, inputs}).contiguous());
        std::printf(" %ld", static_cast<long>((same != same.slice(0, 0, 1)).any(1).sum().item<int64_t>()));
      }
      std::printf("\n");
    }
  }
}

}  // namespace
}  // namespace gloss

int main(int argc, char** argv) {
  const at::NoGradGuard no_gradients;
  const std::vector<std::pair<int, int>> shapes = {{128, 128}, {128, 256},  {256, 128},  {128, 384},  {128, 10000},
                                                   {512, 512}, {512, 2048}, {2048, 512}, {512, 10000}};
  if (argc > 2 && std::strcmp(argv[1], "speed") == 0) {
    at::set_num_threads(std::atoi(argv[2]));
    gloss::measure_speed({3500, 4096, 1, 5, 64, 320}, shapes);
  } else {
    gloss::compare_bits(shapes);
  }
}
