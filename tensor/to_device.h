#pragma once

#include <cstdint>
#include <vector>

#include <ATen/core/Tensor.h>

namespace gloss {

/// A tensor of the CPU on `device`. To a GPU it goes from pinned memory and nobody waits for it; on the CPU it is
/// itself.
at::Tensor to_device(const at::Tensor& tensor, at::Device device);

/// int64 [values].
at::Tensor to_device(const std::vector<std::int64_t>& values, at::Device device);

}  // namespace gloss
