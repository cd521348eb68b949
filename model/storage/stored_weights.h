#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>

#include "common/files/safetensors.h"
#include "model/storage/weight_precision.h"

namespace gloss {

/// Returns the name in kWeightPrecisions.
std::string_view weight_precision_name(WeightPrecision precision);

/// Tensors for a file and the memory that they refer to.
struct StoredWeights {
  std::map<std::string, TensorView> tensors;
  std::vector<at::Tensor> kept;
};
/// Adds a weight under its name: vectors and positions as F32; a matrix as F32, as BF16, or as I8 with scales
/// `name`_scale F32 [out] (model/storage/int8_weights.h).
void store_weight(const std::string& name, const at::Tensor& weight, WeightPrecision precision, StoredWeights& stored);

/// Throws ModelError unless the file has the weight in one of these forms, with this shape.
void expect_weight(const SafetensorsFile& file, const std::string& name, const std::vector<std::int64_t>& shape);
/// Copies the weight into `parameter`, on any device. Throws ModelError if a value is not finite.
void load_weight(const SafetensorsFile& file, const std::string& name, const at::Tensor& parameter);

/// Returns the lowest precision of the file's matrices.
WeightPrecision stored_precision(const SafetensorsFile& file);
/// Returns "source_embedding.weight_scale" for "source_embedding.weight".
std::string scale_name(const std::string& weight);

}  // namespace gloss
