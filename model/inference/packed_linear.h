#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <ATen/core/Tensor.h>

#include "kernels/packed_product_kernel.h"
#include "model/inference/packed_tensors.h"
#include "model/storage/stored_weights.h"

namespace gloss {

/// A weight [out, in] and its bias [out].
struct LinearWeights {
  StoredWeight weight;
  at::Tensor bias;
};

/// Returns whether the instruction set in use multiplies in `precision` as fast as in float32: int8 needs AVX2,
/// bfloat16 needs AVX-512 BF16.
bool is_fast(kernels::Precision precision);

/// y = x W^T + b with the weight packed once for kernels::PackedProductKernel, on the CPU. A weight that is stored in
/// the precision of the product is packed without being converted. The bits of a row depend on
/// that row only, not on other rows or the number of threads.
class PackedLinear {
 public:
  PackedLinear() = default;
  /// Fuses several layers with the same input into one; the outputs are concatenated. Throws ShapeError if the shapes
  /// do not fit.
  explicit PackedLinear(std::span<const LinearWeights> parts,
                        kernels::Precision precision = kernels::Precision::kFloat32);
  explicit PackedLinear(const LinearWeights& part, kernels::Precision precision = kernels::Precision::kFloat32)
      : PackedLinear(std::span(&part, 1), precision) {}

  /// Adds its tensors as `name`.panels and so on.
  void keep(const std::string& name, PackedTensors& tensors) const;
  /// Makes it of tensors that `keep` added; they are not copied. Returns nothing if there are none of this name.
  static std::optional<PackedLinear> find(const std::string& name, const PackedTensors& tensors,
                                          kernels::Precision precision);

  std::int64_t in() const { return in_; }
  std::int64_t out() const { return out_; }

  /// Maps `rows` rows of x [rows, in()] to y [rows, out()]. Outside of parallel regions, threads share the columns of
  /// large layers.
  void apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y,
             kernels::Finish finish = kernels::Finish::kStore) const;

  kernels::PackedMatrix matrix() const;

 private:
  void pack(const StoredWeight& weight, std::int64_t column);

  kernels::Precision precision_ = kernels::Precision::kFloat32;
  std::int64_t in_ = 0, out_ = 0;
  at::Tensor panels_;            ///< [panels, groups, 64, group]
  at::Tensor bias_;              ///< [panels * 64]; -1e30 after the last column, which has no weight in a softmax
  at::Tensor scales_, offsets_;  ///< [panels * 64]; int8 only
};

/// Scratch memory for converting a product's rows, for one thread; null if not needed.
class PackedScratch {
 public:
  PackedScratch(const kernels::PackedMatrix& matrix, std::int64_t rows);
  void* data() const { return memory_.defined() ? memory_.mutable_data_ptr() : nullptr; }

 private:
  at::Tensor memory_;
};

/// Returns the minimum number of panels per thread for a product of `rows` rows: less work is not worth waking a
/// thread.
std::int64_t panels_a_thread(const kernels::PackedMatrix& matrix, std::int64_t rows);

}  // namespace gloss
