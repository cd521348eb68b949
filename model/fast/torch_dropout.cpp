#include "model/fast/torch_dropout.h"

#include <cstdint>
#include <mutex>

#include <ATen/Context.h>
#include <ATen/ops/dropout.h>

namespace gloss {

void seed_torch_generator(at::Device device, const RandomStream& stream) {
  const auto words = stream.block(0);
  auto generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard lock(generator.mutex());
  generator.set_current_seed(static_cast<std::uint64_t>(words[0]) << 32 | words[1]);
}

at::Tensor torch_dropout(const at::Tensor& x, double p, const RandomStream& stream) {
  seed_torch_generator(x.device(), stream);
  return at::dropout(x, p, /*train=*/true);
}

}  // namespace gloss
