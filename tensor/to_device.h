#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// Copies a CPU tensor to `device`. A copy to a GPU goes through pinned memory and is asynchronous; for the CPU the
/// tensor itself is returned.
at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// Returns the values as an int64 tensor [values.size()] on `device`.
at::Tensor to_device(const std::vector<std::int64_t>& values, at::Device device);

}  // namespace gloss
