#pragma once

#include <string>

#include <ATen/core/Tensor.h>

#include "common/config/json.h"

namespace gloss {

/// Reads a JSON file of tests/golden.
Json read_golden(const std::string& name);
/// Converts nested lists of numbers to float32.
at::Tensor golden_tensor(const Json& values, at::Device device);

}  // namespace gloss
