#include "model/initialization.h"

#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include "common/special_ids.h"
#include "model/weights.h"

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
    auto parameter = item.value();
    const auto kind = weight_kind(item.key(), static_cast<std::size_t>(parameter.dim()));
    const auto stream = random.stream(item.key());
    if (kind == WeightKind::kBias || kind == WeightKind::kNorm) {
      parameter.fill_(kind == WeightKind::kNorm ? 1 : 0);
    } else if (kind == WeightKind::kLogScale) {
      parameter.fill_(std::log(kFirstScale));
    } else if (kind == WeightKind::kEmbedding || kind == WeightKind::kPositions) {
      const double deviation = 1 / std::sqrt(static_cast<double>(parameter.size(1)));
      parameter.copy_(drawn(parameter, [&](std::uint64_t e) { return deviation * stream.normal(e); }));
      if (kind == WeightKind::kEmbedding) parameter.select(0, kPad).zero_();
    } else {
      const auto in = parameter.size(1);
      const auto out = kind == WeightKind::kGates   ? parameter.size(0) / 3
                       : kind == WeightKind::kScore ? in  // a score's weight: in = out
                                                    : parameter.size(0);
      const double bound = std::sqrt(6.0 / static_cast<double>(in + out));
      parameter.copy_(drawn(parameter, [&](std::uint64_t e) { return bound * (2 * stream.uniform(e) - 1); }));
    }
  }
}

}  // namespace gloss
