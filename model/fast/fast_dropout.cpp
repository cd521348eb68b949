#include "model/fast/fast_dropout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <vector>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/kernel_table.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kGrain = 1 << 14;  // elements below which no second thread is worth its start; a multiple of 4

// Calls part(first, count) for all elements, in steps of kGrain, so that each part starts with a whole block of four
// words whatever the number of threads.
template <typename Part>
void in_parts(std::int64_t elements, const Part& part) {
  at::parallel_for(0, (elements + kGrain - 1) / kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
    const auto first = begin * kGrain;
    part(first, std::min(end * kGrain, elements) - first);
  });
}

// Returns dropout(x), added to the residual if that is defined.
at::Tensor drop(const at::Tensor& x, const kernels::DropoutMask& mask, const at::Tensor& residual = {}) {
  const auto in = x.contiguous(), added = residual.defined() ? residual.contiguous() : residual;
  auto out = at::empty_like(in);
  const auto* const from = in.const_data_ptr<float>();
  const auto* const beside = added.defined() ? added.const_data_ptr<float>() : nullptr;
  auto* const to = out.mutable_data_ptr<float>();
  const auto& table = kernels::kernel_table();
  in_parts(in.numel(), [&](std::int64_t first, std::int64_t count) {
    const auto begin = static_cast<std::uint64_t>(first), elements = static_cast<std::uint64_t>(count);
    if (beside == nullptr)
      table.dropout(from + first, to + first, begin, elements, mask);
    else
      table.dropout_and_add(beside + first, from + first, to + first, begin, elements, mask);
  });
  return out;
}

// The backward pass is the same function of the gradient.
class Dropout : public torch::autograd::Function<Dropout> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const kernels::DropoutMask& mask) {
    keep(*context, mask);
    return drop(x, mask);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {Dropout::apply(gradients[0], kept_mask(*context)), {}};
  }
};

class DropoutAndAdd : public torch::autograd::Function<DropoutAndAdd> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& residual, const at::Tensor& x,
                            const kernels::DropoutMask& mask) {
    keep(*context, mask);
    return drop(x, mask, residual);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {gradients[0], Dropout::apply(gradients[0], kept_mask(*context)), {}};
  }
};

}  // namespace

kernels::DropoutMask dropout_mask(double p, const Pass& pass, std::string_view site) {
  const auto stream = pass.stream(site);
  const double threshold = std::min(std::round(p * 0x1p32), 0x1p32 - 1);
  const auto key = stream.key();
  return {{key[0], key[1]},
          stream.update(),
          stream.shard(),
          static_cast<std::uint32_t>(threshold),
          static_cast<float>(1 / (1 - p))};
}

void keep(torch::autograd::AutogradContext& context, const kernels::DropoutMask& mask) {
  context.saved_data["mask"] =
      std::vector<std::int64_t>{mask.key[0], mask.key[1], mask.update, mask.shard, mask.threshold};
  context.saved_data["scale"] = static_cast<double>(mask.scale);
}

kernels::DropoutMask kept_mask(torch::autograd::AutogradContext& context) {
  const auto words = context.saved_data["mask"].toIntVector();
  const auto word = [&](std::size_t i) { return static_cast<std::uint32_t>(words[i]); };
  return {{word(0), word(1)}, word(2), word(3), word(4), static_cast<float>(context.saved_data["scale"].toDouble())};
}

at::Tensor kernel_dropout(const at::Tensor& x, const kernels::DropoutMask& mask) { return Dropout::apply(x, mask); }

at::Tensor kernel_dropout_and_add(const at::Tensor& residual, const at::Tensor& x, const kernels::DropoutMask& mask) {
  return DropoutAndAdd::apply(residual, x, mask);
}

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
