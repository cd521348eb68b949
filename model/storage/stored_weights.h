#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"
#include "model/int8_rounding.h"
#include "model/storage/weight_precision.h"

namespace gloss {

/// Returns the name in kTranslatingPrecisions.
std::string_view weight_precision_name(WeightPrecision precision);

/// Rounds float32 values to float16 or bfloat16, to the nearest finite value: their largest ones are below that of
/// float32.
at::Tensor in_half(const at::Tensor& values, at::ScalarType type);

/// A weight in the precision in which it is stored: float32, bfloat16, or int8 quantized by row, value = scale * int8,
/// with scales such that the largest absolute value of a row is 127 (scale 0 for a row of zeros).
struct StoredWeight {
  StoredWeight() = default;
  StoredWeight(at::Tensor stored_values, at::Tensor row_scales = {})  // NOLINT(google-explicit-constructor)
      : values(std::move(stored_values)), scales(std::move(row_scales)) {}

  at::Tensor values;
  at::Tensor scales;      ///< [out] float32, of int8 values [out, in] only
  float input_scale = 0;  ///< of int8 values: x ~ input_scale * int8 for every input x; 0: each input has its own scale

  /// Returns a view of `count` rows from `first` on.
  StoredWeight rows(std::int64_t first, std::int64_t count) const;
  /// Returns the values as float32, which are the values themselves if they are stored so. Throws ShapeError unless an
  /// int8 weight has a scale for each row.
  at::Tensor to_float() const;
  /// Returns the matrix quantized by row. A weight that is stored so keeps its values and scales.
  StoredWeight as_int8() const;
};

/// Quantizes a matrix [out, in] to the nearest values; finite values stay finite. The result as float32 is quantized
/// back to the same bits, values and scales. For scales not made here, the values are the same, and a scale is within
/// one rounding, if the largest absolute value of each row is 127. Otherwise the row gets finer steps and other values.
/// `scales`: one scale for each row, or the same for all.
StoredWeight to_int8(const at::Tensor& weight, Int8Scales scales = Int8Scales::kRows);

/// Tensors for a file and the memory that they refer to.
struct FileTensors {
  std::map<std::string, TensorView> tensors;
  std::vector<at::Tensor> kept;
};
/// Adds the types and shapes that store_weight gives to the tensors of a weight of this shape.
void add_stored_shapes(const std::string& name, const std::vector<std::int64_t>& shape, WeightPrecision precision,
                       std::map<std::string, TensorView>& tensors);
/// Adds a weight under its name: vectors and positions as F32; a matrix as F32, as BF16, or as I8 with scales
/// scale_name(`name`) F32 [out], of the kind `scales`.
void store_weight(const std::string& name, const at::Tensor& weight, WeightPrecision precision, FileTensors& stored,
                  Int8Scales scales = Int8Scales::kRows);
/// Adds a weight that is stored already. If `precision` is int8, int8 values stay as they are, with their scales.
void store_weight(const std::string& name, const StoredWeight& weight, WeightPrecision precision, FileTensors& stored,
                  Int8Scales scales = Int8Scales::kRows);

/// Throws ModelError unless the file has the weight in one of these forms, with this shape. An int8 weight may have an
/// input scale, input_scale_name(`name`) F32 [1].
void expect_weight(const SafetensorsFile& file, const std::string& name, const std::vector<std::int64_t>& shape);
/// Reads the input scale of a weight that expect_weight accepts, if it has one. Throws ModelError unless it and its
/// reciprocal are positive numbers.
std::optional<float> read_input_scale(const SafetensorsFile& file, const std::string& weight);
/// Reads a weight that expect_weight accepts. Throws ModelError if a value is not finite, and as read_input_scale.
StoredWeight read_weight(const SafetensorsFile& file, const std::string& name);
/// Copies the weight into `parameter`, on any device. Throws ModelError if a value is not finite.
void load_weight(const SafetensorsFile& file, const std::string& name, const at::Tensor& parameter);

/// Returns the lowest precision of the file's matrices.
WeightPrecision stored_precision(const SafetensorsFile& file);

/// Returns type and shape as "F32 [2, 3]".
std::string tensor_text(const TensorView& view);

/// Returns a view of the bytes of a contiguous float32 tensor on the CPU. `tensor` must outlive the view.
TensorView view_of(const at::Tensor& tensor);
/// Copies a file's tensor into `parameter` (same shape, any device). Throws ModelError with `name`, the expected and
/// the actual shape, also if a value is not finite.
void copy_into(const at::Tensor& parameter, const TensorView& view, const std::string& file, const std::string& name);

}  // namespace gloss
