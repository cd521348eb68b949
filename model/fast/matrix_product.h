#pragma once

#include <cstdint>
#include <functional>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Products of float32 matrices on the CPU, in blocks that stay in the cache, by oneDNN's kernels for AVX-512. On two
/// cores that is 1.1 to 1.2 times as fast as MKL (docs/decisions.md). The bits of a row depend neither on the number of
/// threads nor on other rows. LibTorch's own product runs on other devices, and if the processor or LibTorch has no
/// such kernels. Matrices are 2-dimensional with contiguous rows. All functions throw ShapeError if shapes do not
/// agree.

/// Processes some rows of a product while they are in the cache; several threads may call it at once. `first` is a
/// multiple of 16.
using RowsFinished = std::function<void(std::int64_t first, std::int64_t rows)>;

/// Computes out [M, N] = a [M, K] b [K, N], plus `bias` [N] in each row if it is defined.
void multiply(const at::Tensor& a, const at::Tensor& b, const at::Tensor& bias, const at::Tensor& out,
              const RowsFinished& finished = {});

/// Computes out [M, N] = a^T b with a [K, M] and b [K, N], or out + a^T b if `add`.
void multiply_transposed(const at::Tensor& a, const at::Tensor& b, const at::Tensor& out, bool add);

/// Maps a [N, M] to the sums of its columns [M].
at::Tensor column_sums(const at::Tensor& a);

/// Maps a [M, N] to its transpose [N, M], contiguous.
at::Tensor transposed(const at::Tensor& a);

/// Returns whether this processor and LibTorch have the kernels for blocks.
bool has_block_products();
/// Returns whether they have the kernels for bfloat16.
bool has_bfloat16_products();

/// During its lifetime the products of its thread round both factors to bfloat16; sums and results stay float32. It has
/// no effect on a processor without such products.
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
