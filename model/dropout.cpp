#include "model/dropout.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/stack.h>
#include <torch/csrc/autograd/custom_function.h>

#include "common/error.h"
#include "model/kernels/dropout_kernel.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kGrain = 1 << 14;  // elements below which no second thread is worth its start; a multiple of 4

kernels::DropoutMask dropout_mask(double p, const RandomStream& stream) {
  const double threshold = std::min(std::round(p * 0x1p32), 0x1p32 - 1);
  const auto key = stream.key();
  return {{key[0], key[1]},
          stream.update(),
          stream.micro_batch(),
          static_cast<std::uint32_t>(threshold),
          static_cast<float>(1 / (1 - p))};
}

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

at::Tensor by_kernel(const at::Tensor& x, const kernels::DropoutMask& mask) {
  const auto in = x.contiguous();
  auto out = at::empty_like(in);
  const auto* from = in.const_data_ptr<float>();
  auto* to = out.mutable_data_ptr<float>();
  const auto kernel = kernels::dropout_kernel();
  // In steps of kGrain, so that each part starts with a whole block of four words whatever the number of threads.
  at::parallel_for(0, (in.numel() + kGrain - 1) / kGrain, 1, [&](std::int64_t begin, std::int64_t end) {
    const auto first = begin * kGrain, last = std::min(end * kGrain, in.numel());
    kernel(from + first, to + first, static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last - first), mask);
  });
  return out;
}

// Keeps no mask: the backward pass is the same function of the gradient.
class Dropout : public torch::autograd::Function<Dropout> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const kernels::DropoutMask& mask) {
    context->saved_data["key"] = std::vector<std::int64_t>{mask.key[0], mask.key[1]};
    context->saved_data["place"] = std::vector<std::int64_t>{mask.update, mask.micro_batch, mask.threshold};
    context->saved_data["scale"] = static_cast<double>(mask.scale);
    return x.is_cpu() && x.scalar_type() == at::kFloat ? by_kernel(x, mask) : by_plain_operations(x, mask);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto key = context->saved_data["key"].toIntVector(), place = context->saved_data["place"].toIntVector();
    const auto word = [](std::int64_t value) { return static_cast<std::uint32_t>(value); };
    const kernels::DropoutMask mask{{word(key[0]), word(key[1])},
                                    word(place[0]),
                                    word(place[1]),
                                    word(place[2]),
                                    static_cast<float>(context->saved_data["scale"].toDouble())};
    return {Dropout::apply(gradients[0], mask), {}};
  }
};

}  // namespace

at::Tensor dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site) {
  if (!pass.training || p == 0) return x;
  if (pass.random == nullptr) {
    throw Error(ExitCode::kFault, "dropout at " + std::string(site) +
                                      ": wanted a stream of random numbers for a training pass, got none");
  }
  return Dropout::apply(x, dropout_mask(p, pass.random->stream(site)));
}

at::Tensor plain_dropout(const at::Tensor& x, double p, const RandomStream& stream) {
  return by_plain_operations(x, dropout_mask(p, stream));
}

}  // namespace gloss
