#include "model/fast/kernel_dropout.h"

#include <algorithm>
#include <cstdint>

#include <ATen/Parallel.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/kernel_table.h"
#include "model/fast/dropout_mask.h"

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

at::Tensor drop(const at::Tensor& x, const kernels::DropoutMask& mask) {
  const auto in = x.contiguous();
  auto out = at::empty_like(in);
  const auto* from = in.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<float>();
  in_parts(in.numel(), [&](std::int64_t first, std::int64_t count) {
    kernels::kernel_table().dropout(from + first, to + first, static_cast<std::uint64_t>(first),
                                    static_cast<std::uint64_t>(count), mask);
  });
  return out;
}

at::Tensor drop_and_add(const at::Tensor& residual, const at::Tensor& x, const kernels::DropoutMask& mask) {
  const auto in = x.contiguous(), added = residual.contiguous();
  auto out = at::empty_like(in);
  const auto* from = in.const_data_ptr<float>();
  const auto* beside = added.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<float>();
  in_parts(in.numel(), [&](std::int64_t first, std::int64_t count) {
    kernels::kernel_table().dropout_and_add(beside + first, from + first, to + first, static_cast<std::uint64_t>(first),
                                            static_cast<std::uint64_t>(count), mask);
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
    return drop_and_add(residual, x, mask);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    return {gradients[0], Dropout::apply(gradients[0], kept_mask(*context)), {}};
  }
};

}  // namespace

at::Tensor kernel_dropout(const at::Tensor& x, const kernels::DropoutMask& mask) { return Dropout::apply(x, mask); }

at::Tensor kernel_dropout_and_add(const at::Tensor& residual, const at::Tensor& x, const kernels::DropoutMask& mask) {
  return DropoutAndAdd::apply(residual, x, mask);
}

}  // namespace gloss
