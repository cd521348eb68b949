#pragma once

#include <cstdint>
#include <string_view>

#include <ATen/core/Tensor.h>

#include "common/random.h"
#include "model/pass.h"

namespace gloss {

/// Dropout (Srivastava et al. 2014; section 5.4): while training each element is kept with probability 1 - p and then
/// divided by 1 - p, else put to zero; otherwise x itself.
///
/// On the CPU element e (row-major) is dropped where bits(e) of the stream `site` below `pass.random` is less than p *
/// 2^32. The mask is therefore a function of (seed, site, update, micro-batch, element); it is never kept, and the
/// backward pass makes it again. On a GPU LibTorch draws and keeps the mask (`torch_dropout`), of (seed, site,
/// update, micro-batch) too. Two calls of one pass must name two sites. 0 <= p < 1. While training without a stream it
/// throws Error, a fault of the caller.
at::Tensor dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site);

/// residual + dropout(x) in one pass over memory; both of one shape.
at::Tensor dropout_and_add(const at::Tensor& residual, const at::Tensor& x, double p, const Pass& pass,
                           std::string_view site);

/// What the CPU drops by plain tensor operations, on any device and for any floating type: what its kernel is compared
/// with, and what runs where a type has none.
at::Tensor plain_dropout(const at::Tensor& x, double p, const RandomStream& stream);

}  // namespace gloss
