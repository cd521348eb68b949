#pragma once

#include <cstdint>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include "common/random.h"
#include "model/pass.h"

namespace gloss {

/// Computes dropout (Srivastava et al. 2014; section 5.4), 0 <= p < 1. In a training pass each element of x, of any
/// shape, is set to zero with probability p, else divided by 1 - p; otherwise x itself is returned.
///
/// Element e (row-major) is dropped if RandomStream::bits(e), a 32-bit word, is below p * 2^32 rounded. The stream
/// depends on the seed, the site, the update (optimizer step) and the shard (part of a batch that one thread computes).
/// Kept elements are multiplied by float(1 / (1 - p)). Two calls of one pass must name two sites. On a GPU LibTorch
/// draws the numbers (model/fast/fast_dropout.h) unless the pass is plain. Throws Error, a fault of the caller, in a
/// training pass without random numbers.
at::Tensor dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site);

/// Computes residual + dropout(x); both have the same shape, of any dimensions.
at::Tensor dropout_and_add(const at::Tensor& residual, const at::Tensor& x, double p, const Pass& pass,
                           std::string_view site);

/// Computes `dropout` by its definition, with LibTorch's operators, on any device and for any floating type.
at::Tensor plain_dropout(const at::Tensor& x, double p, const RandomStream& stream);

/// Returns the words stream.bits(0) to stream.bits(count - 1) as int64 [count], computed by LibTorch's operators on
/// `device`.
at::Tensor random_words(const RandomStream& stream, std::int64_t count, at::Device device);

}  // namespace gloss
