#include "tensor/random_words.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>

namespace gloss {

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
