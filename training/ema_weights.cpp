#include "training/ema_weights.h"

#include <algorithm>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

namespace gloss {

EmaWeights::EmaWeights(const Adam& adam) : adam_(&adam) {
  std::int64_t max_elements = 0;
  for (const auto& slot : adam.slots())
    if (slot.ema.defined()) max_elements = std::max(max_elements, slot.ema.numel());
  if (max_elements == 0) return;
  for (const auto& slot : adam.slots()) {
    if (!slot.ema.defined()) continue;
    scratch_ = at::empty({max_elements}, slot.ema.options());
    break;
  }
  exchange();
}

EmaWeights::~EmaWeights() { exchange(); }

void EmaWeights::exchange() {
  if (!scratch_.defined()) return;
  const at::NoGradGuard no_grad;
  for (const auto& slot : adam_->slots()) {
    if (!slot.ema.defined()) continue;
    const auto kept = scratch_.narrow(0, 0, slot.ema.numel()).view(slot.ema.sizes());
    kept.copy_(slot.parameter);
    slot.parameter.copy_(slot.ema);
    slot.ema.copy_(kept);
  }
}

void take_ema(const Adam& adam) {
  const at::NoGradGuard no_grad;
  for (const auto& slot : adam.slots())
    if (slot.ema.defined()) slot.parameter.copy_(slot.ema);
}

}  // namespace gloss
