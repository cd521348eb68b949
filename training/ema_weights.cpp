#include "training/ema_weights.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

namespace gloss {

EmaWeights::EmaWeights(const Adam& adam) : emas_(adam.emas()) {
  if (emas_.empty()) return;
  std::int64_t max_elements = 0;
  for (const auto& [parameter, ema] : emas_) max_elements = std::max(max_elements, ema.numel());
  scratch_ = at::empty({max_elements}, emas_.front().ema.options());
  exchange();
}

EmaWeights::~EmaWeights() { exchange(); }

void EmaWeights::exchange() {
  const at::NoGradGuard no_grad;
  for (const auto& [parameter, ema] : emas_) {
    const auto kept = scratch_.narrow(0, 0, ema.numel()).view(ema.sizes());
    kept.copy_(parameter);
    parameter.copy_(ema);
    ema.copy_(kept);
  }
}

void take_ema(const Adam& adam) {
  const at::NoGradGuard no_grad;
  for (const auto& [parameter, ema] : adam.emas()) parameter.copy_(ema);
}

}  // namespace gloss
