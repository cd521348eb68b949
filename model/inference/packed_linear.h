#pragma once

#include <cstdint>
#include <span>

#include <ATen/core/Tensor.h>

#include "kernels/packed_product_kernel.h"

namespace gloss {

/// A weight [out, in] and its bias [out].
struct LinearWeights {
  at::Tensor weight, bias;
};

/// Whether this processor has products of its own for `precision`: int8 wants AVX-512 with VNNI, bfloat16 that with
/// BF16.
bool is_fast(kernels::Precision precision);

/// y = x W^T + b with the weight packed once for kernels::PackedProductKernel, on the CPU. A row's bits depend on that
/// row alone: neither on the rows beside it nor on the number of threads.
class PackedLinear {
 public:
  PackedLinear() = default;
  /// Several maps of one input as one, their outputs side by side. Throws ShapeError where they do not fit.
  explicit PackedLinear(std::span<const LinearWeights> parts,
                        kernels::Precision precision = kernels::Precision::kFloat32);
  explicit PackedLinear(const LinearWeights& part, kernels::Precision precision = kernels::Precision::kFloat32)
      : PackedLinear(std::span(&part, 1), precision) {}

  std::int64_t in() const { return in_; }
  std::int64_t out() const { return out_; }

  /// `rows` rows of x, in() wide, to out() wide. Where a parallel region does not do so already, threads share the
  /// columns of large maps.
  void apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y,
             kernels::Finish finish = kernels::Finish::kStore) const;

  kernels::PackedMatrix matrix() const;

 private:
  kernels::Precision precision_ = kernels::Precision::kFloat32;
  std::int64_t in_ = 0, out_ = 0;
  at::Tensor panels_;            ///< [panels, groups, 64, group]
  at::Tensor bias_;              ///< [panels * 64]; behind the last column -1e30, which no softmax sees
  at::Tensor scales_, offsets_;  ///< [panels * 64]; of int8
};

/// Room for a product's rows, for one thread; null where it needs none.
class PackedScratch {
 public:
  PackedScratch(const kernels::PackedMatrix& matrix, std::int64_t rows);
  void* data() const { return memory_.defined() ? memory_.mutable_data_ptr() : nullptr; }

 private:
  at::Tensor memory_;
};

/// How many panels of a product of `rows` rows a thread should take at least, so that the work is worth its waking.
std::int64_t panels_a_thread(const kernels::PackedMatrix& matrix, std::int64_t rows);

}  // namespace gloss
