#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/special_ids.h"
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

/// Returns the weight in the precision of a product; stored values of this precision stay as they are.
StoredWeight in_precision(const StoredWeight& weight, kernels::Precision precision);

/// y = x W^T + b with the weight packed once for kernels::PackedProductKernel, on the CPU. A weight that is stored in
/// the precision of the product is packed without being converted. The bits of a row depend on
/// that row only, not on other rows or the number of threads.
class PackedLinear {
 public:
  PackedLinear() = default;
  /// Fuses several layers with the same input into one; the outputs are concatenated. In int8 a part's input is
  /// quantized with its input scale, if it has one. Throws ShapeError if the shapes do not fit.
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
  std::int64_t out() const { return out_ + (rest_ == nullptr ? 0 : rest_->out()); }

  /// Maps `rows` rows of x [rows, in()] to y [rows, out()]. Outside of parallel regions, threads share the columns of
  /// large layers.
  void apply(kernels::Rows x, std::int64_t rows, kernels::MutableRows y,
             kernels::Finish finish = kernels::Finish::kStore) const;

  /// Returns the matrix of the first parts, whose input scales are equal.
  kernels::PackedMatrix matrix() const;

 private:
  void pack(const StoredWeight& weight, std::int64_t column);

  kernels::Precision precision_ = kernels::Precision::kFloat32;
  std::int64_t in_ = 0, out_ = 0;             ///< out_: of the matrix
  float input_scale_ = 0;                     ///< of the matrix; int8 only
  std::shared_ptr<const PackedLinear> rest_;  ///< the parts from the first one with another input scale on, or null
  at::Tensor panels_;                         ///< [panels, groups, 64, group]
  at::Tensor bias_;              ///< [panels * 64]; -1e30 after the last column, which has no weight in a softmax
  at::Tensor scales_, offsets_;  ///< [panels * 64]; int8 only
};

/// Some outputs of a PackedLinear, multiplied with the rows of its weight as they are stored. Each has the bits that
/// the layer gives it.
class ListedOutputs {
 public:
  /// `weight` [out, in] is that of the layer's only part, in its precision. `ids` ascend from 0 to out - 1.
  ListedOutputs(const PackedLinear& layer, at::Tensor weight, Ids ids);

  const Ids& ids() const { return ids_; }
  /// Returns the matrix with one column for each id. It refers to this object.
  kernels::PackedMatrix matrix() const;

 private:
  kernels::PackedMatrix layer_;
  at::Tensor weight_;
  Ids ids_;
  std::vector<float> bias_, scales_;  ///< [panels * 64]
  std::vector<std::int32_t> offsets_;
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
