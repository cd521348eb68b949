#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "common/random.h"

namespace gloss {

/// Returns the words stream.bits(0) to stream.bits(count - 1) as int64 [count], computed by LibTorch's operators on
/// `device`.
at::Tensor random_words(const RandomStream& stream, std::int64_t count, at::Device device);

}  // namespace gloss
