#include "model/initialization.h"

#include <cmath>
#include <string>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "common/special_ids.h"

namespace gloss {
namespace {

constexpr std::int64_t kGrain = 1 << 12;  // fewest elements for each thread

template <typename Draw>
at::Tensor drawn(const at::Tensor& parameter, const Draw& draw) {
  auto values = at::empty(parameter.sizes(), at::kFloat);
  auto* out = values.template mutable_data_ptr<float>();
  at::parallel_for(0, values.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (auto e = begin; e < end; ++e) out[e] = static_cast<float>(draw(static_cast<std::uint64_t>(e)));
  });
  return values;
}

}  // namespace

void initialize(torch::nn::Module& module, const RandomStream& random) {
  const at::NoGradGuard no_grad;
  for (const auto& item : module.named_parameters()) {
    const auto& name = item.key();
    auto parameter = item.value();
    if (parameter.dim() < 2) {
      parameter.fill_(name.ends_with("norm.weight") ? 1 : 0);
      continue;
    }
    const auto stream = random.stream(name);
    const bool is_embedding = name.ends_with("_embedding.weight");
    if (is_embedding || name.ends_with("_positions.weight")) {
      const double deviation = 1 / std::sqrt(static_cast<double>(parameter.size(1)));
      parameter.copy_(drawn(parameter, [&](std::uint64_t e) { return deviation * stream.normal(e); }));
      if (is_embedding) parameter.select(0, kPad).zero_();
    } else {
      const double bound = std::sqrt(6.0 / static_cast<double>(parameter.size(0) + parameter.size(1)));
      parameter.copy_(drawn(parameter, [&](std::uint64_t e) { return bound * (2 * stream.uniform(e) - 1); }));
    }
  }
}

}  // namespace gloss
