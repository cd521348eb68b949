#include "training/output_loss.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DispatchKeySet.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/custom_function.h>

#include "common/error.h"
#include "common/special_ids.h"
#include "kernels/kernel_table.h"
#include "model/fast/dispatch.h"
#include "model/fast/matrix_product.h"
#include "tensor/shape.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kRowsOfSlice = 256;         // times V floats: some 10 MB
constexpr std::int64_t kRowsOfDeviceSlice = 2048;  // work for all of a GPU
constexpr std::int64_t kParts = 16;                // of a slice, each with a sum of its own

/// What goes into the loss, and what comes out.
struct OutputLayer {
  at::Tensor x = {}, weight = {}, bias = {}, wanted = {};  ///< [N, D], [V, D], [V], [N]
  double epsilon = 0;
  bool by_kernel = false;
  bool of_x = false, of_weight = false, of_bias = false;  ///< gradients to be found

  bool with_gradient() const { return of_x || of_weight || of_bias; }
};
struct OutputSums {
  at::Tensor smoothed, nll;             ///< scalars, float64
  at::Tensor of_x, of_weight, of_bias;  ///< gradients of `smoothed`
};

// The losses of `rows` rows of logits [., V] from `first` on, which become the gradient.
kernels::RowLoss losses(const OutputLayer& layer, float* logits, std::int64_t first, std::int64_t rows,
                        float* bias_gradient) {
  const auto V = layer.weight.size(0);
  const auto* const wanted = layer.wanted.const_data_ptr<std::int64_t>();
  const auto* const bias = layer.bias.const_data_ptr<float>();
  kernels::RowLoss sum;
  for (std::int64_t row = 0; row < rows; ++row) {
    float* const scores = logits + row * V;
    if (wanted[first + row] == kPad) {
      std::fill(scores, scores + V, 0.0F);
      continue;
    }
    const auto loss = kernels::kernel_table().softmax_loss(scores, bias, V, wanted[first + row],
                                                           static_cast<float>(layer.epsilon), bias_gradient);
    sum.nll += loss.nll;
    sum.smoothed += loss.smoothed;
  }
  return sum;
}

OutputSums by_kernel(const OutputLayer& layer) {
  const auto N = layer.x.size(0), D = layer.x.size(1), V = layer.weight.size(0);
  const auto options = layer.x.options().requires_grad(false);
  const auto turned = transposed(layer.weight);                            // [D, V]
  const auto logits = at::empty({std::min(N, kRowsOfSlice), V}, options);  // of a slice
  OutputSums sums;
  double smoothed = 0, nll = 0;
  at::Tensor of_bias, of_turned;  // [kParts, V], [D, V]
  if (layer.of_x) sums.of_x = at::empty({N, D}, options);
  if (layer.of_weight) of_turned = N > 0 ? at::empty({D, V}, options) : at::zeros({D, V}, options);
  if (layer.with_gradient()) of_bias = at::zeros({kParts, V}, options);
  for (std::int64_t first = 0; first < N; first += kRowsOfSlice) {
    const auto rows = std::min(kRowsOfSlice, N - first);
    const auto x = layer.x.narrow(0, first, rows), scores = logits.narrow(0, 0, rows);
    multiply(x, turned, {}, scores);
    std::vector<kernels::RowLoss> of_parts(kParts);
    at::parallel_for(0, kParts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part) {
        const auto from = rows * part / kParts, to = rows * (part + 1) / kParts;
        of_parts[static_cast<std::size_t>(part)] =
            losses(layer, scores.mutable_data_ptr<float>() + from * V, first + from, to - from,
                   layer.with_gradient() ? of_bias.mutable_data_ptr<float>() + part * V : nullptr);
      }
    });
    for (const auto& loss : of_parts) {
      smoothed += loss.smoothed;
      nll += loss.nll;
    }
    if (layer.of_x) multiply(scores, layer.weight, {}, sums.of_x.narrow(0, first, rows));
    if (layer.of_weight) multiply_transposed(x, scores, of_turned, /*add=*/first > 0);
  }
  if (layer.of_weight) sums.of_weight = transposed(of_turned);
  if (layer.of_bias) sums.of_bias = column_sums(of_bias);
  sums.smoothed = at::scalar_tensor(smoothed, at::kDouble);
  sums.nll = at::scalar_tensor(nll, at::kDouble);
  return sums;
}

// The logits of a slice [n, V] to the gradients of their losses, in place.
void to_gradients(const at::Tensor& logits, const at::Tensor& normalizers, const at::Tensor& wanted, double epsilon) {
  const auto n = logits.size(0), V = logits.size(1);
  logits.sub_(normalizers).exp_().sub_(epsilon / static_cast<double>(V));
  const auto places = at::arange(n, wanted.options()).mul_(V).add_(wanted.squeeze(1));  // [n], of the wanted tokens
  logits.view(-1).index_add_(0, places, at::full({n}, epsilon - 1, logits.options()));
  logits.masked_fill_(wanted.eq(kPad), 0);
}

OutputSums by_operations(const OutputLayer& layer) {
  const auto N = layer.x.size(0), D = layer.x.size(1), V = layer.weight.size(0);
  const auto factor = factor_type(layer.weight), number = factor == at::kDouble ? at::kDouble : at::kFloat;
  const c10::impl::ExcludeDispatchKeyGuard types_are_named(c10::autocast_dispatch_keyset);
  const auto x = layer.x.to(factor), weight = layer.weight.to(factor), bias = layer.bias.to(factor);
  const auto options = layer.x.options().dtype(number).requires_grad(false);
  OutputSums sums{at::zeros({}, options.dtype(at::kDouble)), at::zeros({}, options.dtype(at::kDouble)), {}, {}, {}};
  if (layer.of_x) sums.of_x = at::empty({N, D}, layer.x.options());
  if (layer.of_weight) sums.of_weight = at::zeros({V, D}, options);
  if (layer.of_bias) sums.of_bias = at::zeros({V}, options);
  const auto rows_of_slice = x.is_cpu() ? kRowsOfSlice : kRowsOfDeviceSlice;
  for (std::int64_t first = 0; first < N; first += rows_of_slice) {
    const auto n = std::min(rows_of_slice, N - first);
    const auto rows = x.narrow(0, first, n);                              // [n, D]
    const auto wanted = layer.wanted.narrow(0, first, n).unsqueeze(1);    // [n, 1]
    const auto logits = at::addmm(bias, rows, weight.t()).to(number);     // [n, V]
    const auto normalizers = logits.logsumexp(1, /*keepdim=*/true);       // [n, 1]
    const auto nll = normalizers - logits.gather(1, wanted);              // [n, 1]
    const auto uniform = normalizers - logits.mean(1, /*keepdim=*/true);  // [n, 1]
    const auto smoothed = (1 - layer.epsilon) * nll + layer.epsilon * uniform;
    const auto is_pad = wanted.eq(kPad);
    sums.nll += nll.masked_fill(is_pad, 0).sum(at::kDouble);
    sums.smoothed += smoothed.masked_fill(is_pad, 0).sum(at::kDouble);
    if (!layer.with_gradient()) continue;
    to_gradients(logits, normalizers, wanted, layer.epsilon);
    if (layer.of_bias) sums.of_bias.add_(logits.sum(0));
    const auto slopes = logits.to(factor);
    if (layer.of_x) sums.of_x.narrow(0, first, n).copy_(slopes.mm(weight));
    if (!layer.of_weight) continue;
    if (factor == number)
      sums.of_weight.addmm_(slopes.t(), rows);
    else
      sums.of_weight.add_(slopes.t().mm(rows));
  }
  return sums;
}

class SlicedLoss : public torch::autograd::Function<SlicedLoss> {
 public:
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias, const OutputLayer& layer) {
    auto whole = layer;
    whole.x = x.contiguous();
    whole.weight = weight;
    whole.bias = bias;
    const auto sums = layer.by_kernel ? by_kernel(whole) : by_operations(whole);
    context->save_for_backward({sums.of_x, sums.of_weight, sums.of_bias});
    context->mark_non_differentiable({sums.nll});
    return {sums.smoothed, sums.nll};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    auto result = context->get_saved_variables();
    const auto& factor = gradients[0];  // scalar; a GPU is not waited for to know it
    const bool is_one = factor.is_cpu() && *factor.const_data_ptr<double>() == 1;
    for (auto& gradient : result)
      if (!is_one && gradient.defined()) gradient = gradient * factor;
    result.emplace_back();
    return result;
  }
};

void expect_ids(const at::Tensor& wanted, std::int64_t V) {
  const auto* const ids = wanted.const_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < wanted.size(0); ++i)
    if (ids[i] < 0 || ids[i] >= V)
      throw ShapeError("wanted: wanted ids from 0 to " + std::to_string(V - 1) + ", got " + std::to_string(ids[i]));
}

}  // namespace

LossSums output_loss(const Generator& generator, const at::Tensor& x, const at::Tensor& wanted, double epsilon,
                     OutputPath path) {
  const auto [N, D] = sizes<2>(x, "x");
  expect_width(x, generator->weight().size(1), "x");
  expect_shape(wanted, {N}, "wanted");
  const auto ids = wanted.contiguous();
  if (ids.is_cpu()) expect_ids(ids, generator->weight().size(0));
  const bool has_kernel = path == OutputPath::kFastest && fast::has_kernels(x);
  const bool records = at::GradMode::is_enabled();
  const auto &weight = generator->weight(), &bias = generator->bias();
  const auto sums = SlicedLoss::apply(x, weight, bias,
                                      OutputLayer{.wanted = ids,
                                                  .epsilon = epsilon,
                                                  .by_kernel = has_kernel,
                                                  .of_x = records && x.requires_grad(),
                                                  .of_weight = records && weight.requires_grad(),
                                                  .of_bias = records && bias.requires_grad()});
  return {sums[0], sums[1]};
}

}  // namespace gloss
