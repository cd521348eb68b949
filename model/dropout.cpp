#include "model/dropout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "model/fast/dispatch.h"
#include "tensor/random_words.h"

namespace gloss {

at::Tensor dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site) {
  if (!pass.training || p == 0) return x;
  if (const auto result = fast::dropout(x, p, pass, site)) return *result;
  // Otherwise, in a plain pass, or on the CPU in another precision than float32:
  return plain_dropout(x, p, pass.stream(site));
}

at::Tensor dropout_and_add(const at::Tensor& residual, const at::Tensor& x, double p, const Pass& pass,
                           std::string_view site) {
  if (const auto result = fast::dropout_and_add(residual, x, p, pass, site)) return *result;
  // Otherwise, in a plain pass, without dropout, on a GPU, or in another precision than float32:
  return residual + dropout(x, p, pass, site);
}

at::Tensor plain_dropout(const at::Tensor& x, double p, const RandomStream& stream) {
  const auto threshold = static_cast<std::int64_t>(std::min(std::round(p * 0x1p32), 0x1p32 - 1));
  const auto dropped = random_words(stream, x.numel(), x.device()).lt(threshold).view(x.sizes());
  return (x * static_cast<float>(1 / (1 - p))).masked_fill(dropped, 0);
}

}  // namespace gloss
