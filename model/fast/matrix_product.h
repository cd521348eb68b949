#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Products of float32 matrices on the CPU, in blocks that stay in the cache, by oneDNN's kernels for AVX-512. On two
/// cores that is 1.1 to 1.2 times as fast as MKL (docs/decisions.md); the number of threads does not change a bit of
/// the result, and a row's bits do not depend on the rows beside it. Where the processor or LibTorch has no such
/// kernels, and on other devices, LibTorch's own product does the work. Matrices are 2-dimensional, with rows that are
/// contiguous; all of these throw ShapeError where shapes do not agree.

/// What is to be done with some rows of a product while they are in the cache, perhaps at the same time as with others.
/// `first` is a multiple of 16.
using RowsFinished = std::function<void(std::int64_t first, std::int64_t rows)>;

/// out [M, N] = a [M, K] b [K, N], plus `bias` [N] in each row where it is defined.
void multiply(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias, const at::Tensor& out,
              const RowsFinished& finished = {});

/// out [M, N] = a^T b with a [K, M] and b [K, N], or out + a^T b where `add`.
void multiply_transposed(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out, bool add);

/// a [N, M] to the sums of its columns [M].
at::Tensor column_sums(const at::Tensor& a);

/// a [M, N] to [N, M], contiguous.
at::Tensor transposed(const at::Tensor& a);

/// Whether this processor and LibTorch have the kernels for blocks.
bool has_block_products();
/// Whether they have those for bfloat16.
bool has_bfloat16_products();

/// While it lives, the products above that its thread asks for round both factors to bfloat16; sums and results stay
/// float32. Wanted on a processor that has such products; else they stay as they are.
class Bfloat16Products {
 public:
  explicit Bfloat16Products(bool wanted);
  ~Bfloat16Products();
  Bfloat16Products(const Bfloat16Products&) = delete;
  Bfloat16Products& operator=(const Bfloat16Products&) = delete;

 private:
  bool before_;
};

}  // namespace gloss
