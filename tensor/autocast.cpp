#include "tensor/autocast.h"

#include <ATen/autocast_mode.h>

namespace gloss {

Autocast::Autocast(bool on, at::Device device) : on_(on && device.is_cuda()) {
  if (!on_) return;
  at::autocast::increment_nesting();
  at::autocast::set_autocast_dtype(at::kCUDA, at::kBFloat16);
  at::autocast::set_autocast_enabled(at::kCUDA, true);
}

Autocast::~Autocast() {
  if (!on_) return;
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
}

at::ScalarType factor_type(const at::Tensor& weight) {
  const auto type = weight.scalar_type();
  const auto device = weight.device().type();
  return type != at::kDouble && at::autocast::is_autocast_enabled(device) ? at::autocast::get_autocast_dtype(device)
                                                                          : type;
}

}  // namespace gloss
