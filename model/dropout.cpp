#include "model/dropout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>

#include "model/fast/dispatch.h"

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

at::Tensor random_words(const RandomStream& stream, std::int64_t count, at::Device device) {
  constexpr std::int64_t kLow = 0xFFFFFFFF;
  const auto index = at::arange((count + 3) / 4, at::device(device).dtype(at::kLong));  // [blocks]
  at::Tensor c0 = index.bitwise_and(kLow), c1 = index.bitwise_right_shift(32);
  at::Tensor c2 = at::full_like(index, static_cast<std::int64_t>(stream.update()));
  at::Tensor c3 = at::full_like(index, static_cast<std::int64_t>(stream.shard()));
  auto [k0, k1] = stream.key();
  const auto high = [](const at::Tensor& x) { return x.bitwise_right_shift(32).bitwise_and(kLow); };
  for (int round = 0; round < 10; ++round) {  // Philox4x32-10 (common/random.h), on the words of all blocks at once
    const at::Tensor a = c0 * std::int64_t{0xD2511F53}, b = c2 * std::int64_t{0xCD9E8D57};
    c0 = high(b).bitwise_xor(c1).bitwise_xor(static_cast<std::int64_t>(k0));
    c2 = high(a).bitwise_xor(c3).bitwise_xor(static_cast<std::int64_t>(k1));
    c1 = b.bitwise_and(kLow);
    c3 = a.bitwise_and(kLow);
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return at::stack({c0, c1, c2, c3}, 1).view(-1).narrow(0, 0, count);
}

}  // namespace gloss
