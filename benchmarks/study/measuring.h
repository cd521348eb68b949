#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include "common/special_ids.h"
#include "model/storage/weight_precision.h"

namespace gloss {

/// Runs a benchmark whose command line is parsed. Prints an exception after the program's name. Returns the exit code.
int run_benchmark(const char* name, const std::function<void()>& work);

/// The least seconds of `rounds` calls.
template <typename Work>
double best_of(std::int64_t rounds, const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

/// The least seconds of `repeat` calls, after one that is not counted.
template <typename Work>
double best_seconds(std::int64_t repeat, const Work& work) {
  work();
  return best_of(repeat, work);
}

/// Floating-point operations a second of the fastest of eight products [4096, 512] x [512, 2048] of numbers of `type`:
/// what a share of the matrix peak is a share of.
double matrix_peak(at::Device device, at::ScalarType type);

/// Operations a second of a core that does nothing but the dot products of 512-bit registers that decoding uses: of
/// bytes (AVX-512 VNNI) or of bfloat16 (AVX-512 BF16). 0 in another precision, or where the processor lacks them.
double dot_product_peak(WeightPrecision precision);

/// The most memory held so far, in MiB: on the CPU by the process, on a GPU by its tensors, or nothing where
/// LibTorch is older than 2.9 and does not say.
std::optional<std::int64_t> peak_memory_mib(at::Device device);

/// Counts the bytes of the CPU tensors that are allocated while it exists. Use one at a time. Measure seconds without
/// it: blocks come from the system and are not kept.
class TensorMemory {
 public:
  TensorMemory();
  ~TensorMemory();
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;

  /// The largest number of bytes at one time.
  std::int64_t peak() const;

 private:
  c10::Allocator* previous_;
};

/// Pieces of the networks that the study makes.
inline constexpr std::int64_t kVocabulary = 1000;

/// Independent normal numbers of variance 1, by the name of their stream.
at::Tensor random_normal(const std::vector<std::int64_t>& shape, std::string_view name);

/// `count` sentences of `length` tokens, the last of them eos.
std::vector<Ids> random_sentences(std::int64_t count, std::int64_t length, std::int64_t vocabulary,
                                  std::string_view name);

}  // namespace gloss
