#pragma once

#include <ATen/core/Tensor.h>

#include "common/config/json.h"

namespace gloss {

/// Returns a tensor as `{"shape": [2, 3], "values": [...]}`, row by row. A float is written by the shortest decimal
/// number that reads back equal, and infinity as the greatest float.
Json number_array(const at::Tensor& tensor);

/// Returns the float as the shortest decimal number that reads back equal.
double shortest(float value);

}  // namespace gloss
