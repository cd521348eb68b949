#include "model/dropout.h"

#include <algorithm>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/kernel_table.h"
#include "model/fast/dropout_mask.h"
#include "model/fast/torch_dropout.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kGrain = 1 << 14;  // elements below which no second thread is worth its start; a multiple of 4

// The random words of elements 0 to count - 1 as int64 [count], by plain operations.
at::Tensor random_words(std::int64_t count, const kernels::DropoutMask& mask, at::Device device) {
  constexpr std::int64_t kLow = 0xFFFFFFFF;
  const auto index = at::arange((count + 3) / 4, at::device(device).dtype(at::kLong));  // [blocks]
  at::Tensor c0 = index.bitwise_and(kLow), c1 = index.bitwise_right_shift(32);
  at::Tensor c2 = at::full_like(index, static_cast<std::int64_t>(mask.update));
  at::Tensor c3 = at::full_like(index, static_cast<std::int64_t>(mask.micro_batch));
  std::uint32_t k0 = mask.key[0], k1 = mask.key[1];
  const auto high = [](const at::Tensor& x) { return x.bitwise_right_shift(32).bitwise_and(kLow); };
  for (int round = 0; round < 10; ++round) {
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

at::Tensor by_plain_operations(const at::Tensor& x, const kernels::DropoutMask& mask) {
  const auto dropped = random_words(x.numel(), mask, x.device()).lt(static_cast<std::int64_t>(mask.threshold));
  return (x * mask.scale).masked_fill(dropped.view(x.sizes()), 0);
}

// Calls part(first, count) for all elements, in steps of kGrain, so that each part starts with a whole block of four
// words whatever the number of threads.
template <typename Part>
void in_parts(std::int64_t elements, const Part& part) {
  at::parallel_for(0, (elements + kGrain - 1) / kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
    const auto first = begin * kGrain;
    part(first, std::min(end * kGrain, elements) - first);
  });
}

bool has_kernel(const at::Tensor& x) { return x.is_cpu() && x.scalar_type() == at::kFloat; }

at::Tensor drop(const at::Tensor& x, const kernels::DropoutMask& mask) {
  if (!has_kernel(x)) return by_plain_operations(x, mask);
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
  if (!has_kernel(x) || !has_kernel(residual)) return residual + by_plain_operations(x, mask);
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

// Keeps no mask: the backward pass is the same function of the gradient.
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

at::Tensor dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site) {
  if (!pass.training || p == 0) return x;
  if (x.is_cuda()) return torch_dropout(x, p, dropout_stream(pass, site));
  return Dropout::apply(x, dropout_mask(p, pass, site));
}

at::Tensor dropout_and_add(const at::Tensor& residual, const at::Tensor& x, double p, const Pass& pass,
                           std::string_view site) {
  if (!pass.training || p == 0) return residual + x;
  if (x.is_cuda()) return residual + dropout(x, p, pass, site);
  return DropoutAndAdd::apply(residual, x, dropout_mask(p, pass, site));
}

at::Tensor plain_dropout(const at::Tensor& x, double p, const RandomStream& stream) {
  return by_plain_operations(x, dropout_mask(p, stream));
}

}  // namespace gloss
