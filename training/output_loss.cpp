#include "training/output_loss.h"

#include <algorithm>
#include <cstdint>
#include <span>
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
#include "model/int8_rounding.h"
#include "tensor/shape.h"
#include "training/mixed_precision.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::int64_t kRowsOfSlice = 256;         // times V floats: some 10 MB
constexpr std::int64_t kRowsOfDeviceSlice = 2048;  // enough work for a GPU
constexpr std::int64_t kParts = 16;                // parts of a slice, each with its own sum

/// Inputs of the loss.
struct OutputLayer {
  at::Tensor x = {}, weight = {}, bias = {}, targets = {};  ///< [N, D], [V, D], [V], [N]
  double epsilon = 0;
  bool by_kernel = false;
  bool x_gradient = false, weight_gradient = false, bias_gradient = false;  ///< gradients to compute

  bool with_gradient() const { return x_gradient || weight_gradient || bias_gradient; }
};
/// Results of the loss.
struct OutputSums {
  at::Tensor smoothed, nll;                               ///< scalars, float64
  at::Tensor x_gradient, weight_gradient, bias_gradient;  ///< gradients of `smoothed`
};

// Returns the sums of the losses of `rows` rows of logits [., V], whose targets begin at `first`, and replaces the
// logits by their gradients.
kernels::RowLoss losses(const OutputLayer& layer, float* logits, std::int64_t first, std::int64_t rows,
                        float* bias_gradient) {
  const auto V = layer.weight.size(0);
  const auto* const targets = layer.targets.const_data_ptr<std::int64_t>();
  const auto* const bias = layer.bias.const_data_ptr<float>();
  kernels::RowLoss sum;
  for (std::int64_t row = 0; row < rows; ++row) {
    float* const scores = logits + row * V;
    if (targets[first + row] == kPad) {
      std::fill(scores, scores + V, 0.0F);
      continue;
    }
    const auto loss = kernels::kernel_table().softmax_loss(scores, bias, V, targets[first + row],
                                                           static_cast<float>(layer.epsilon), bias_gradient);
    sum.nll += loss.nll;
    sum.smoothed += loss.smoothed;
  }
  return sum;
}

OutputSums by_kernel(const OutputLayer& layer) {
  const auto N = layer.x.size(0), D = layer.x.size(1), V = layer.weight.size(0);
  const auto options = layer.x.options().requires_grad(false);
  const auto transposed_weight = transposed(layer.weight);                 // [D, V]
  const auto logits = at::empty({std::min(N, kRowsOfSlice), V}, options);  // of a slice
  OutputSums sums;
  double smoothed = 0, nll = 0;
  at::Tensor bias_gradient, gradient_of_transposed;  // [kParts, V], [D, V]
  if (layer.x_gradient) sums.x_gradient = at::empty({N, D}, options);
  if (layer.weight_gradient) gradient_of_transposed = N > 0 ? at::empty({D, V}, options) : at::zeros({D, V}, options);
  if (layer.with_gradient()) bias_gradient = at::zeros({kParts, V}, options);
  for (std::int64_t first = 0; first < N; first += kRowsOfSlice) {
    const auto rows = std::min(kRowsOfSlice, N - first);
    const auto x = layer.x.narrow(0, first, rows), scores = logits.narrow(0, 0, rows);
    multiply(x, transposed_weight, {}, scores);
    std::vector<kernels::RowLoss> of_parts(kParts);
    at::parallel_for(0, kParts, 1, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t part = begin; part < end; ++part) {
        const auto from = rows * part / kParts, to = rows * (part + 1) / kParts;
        of_parts[static_cast<std::size_t>(part)] =
            losses(layer, scores.mutable_data_ptr<float>() + from * V, first + from, to - from,
                   layer.with_gradient() ? bias_gradient.mutable_data_ptr<float>() + part * V : nullptr);
      }
    });
    for (const auto& loss : of_parts) {
      smoothed += loss.smoothed;
      nll += loss.nll;
    }
    if (layer.x_gradient) multiply(scores, layer.weight, {}, sums.x_gradient.narrow(0, first, rows));
    if (layer.weight_gradient) multiply_transposed(x, scores, gradient_of_transposed, /*add=*/first > 0);
  }
  if (layer.weight_gradient) sums.weight_gradient = transposed(gradient_of_transposed);
  if (layer.bias_gradient) sums.bias_gradient = column_sums(bias_gradient);
  sums.smoothed = at::scalar_tensor(smoothed, at::kDouble);
  sums.nll = at::scalar_tensor(nll, at::kDouble);
  return sums;
}

// Replaces the logits of a slice [n, V] by the gradients of their losses.
void to_gradients(const at::Tensor& logits, const at::Tensor& normalizers, const at::Tensor& targets, double epsilon) {
  const auto n = logits.size(0), V = logits.size(1);
  logits.sub_(normalizers).exp_().sub_(epsilon / static_cast<double>(V));
  const auto places = at::arange(n, targets.options()).mul_(V).add_(targets.squeeze(1));  // [n], of the targets
  logits.view(-1).index_add_(0, places, at::full({n}, epsilon - 1, logits.options()));
  logits.masked_fill_(targets.eq(kPad), 0);
}

OutputSums by_operations(const OutputLayer& layer) {
  const auto N = layer.x.size(0), D = layer.x.size(1), V = layer.weight.size(0);
  const auto factor = factor_type(layer.weight), number = factor == at::kDouble ? at::kDouble : at::kFloat;
  const c10::impl::ExcludeDispatchKeyGuard types_are_named(c10::autocast_dispatch_keyset);
  const auto x = layer.x.to(factor), weight = layer.weight.to(factor), bias = layer.bias.to(factor);
  const auto options = layer.x.options().dtype(number).requires_grad(false);
  OutputSums sums{at::zeros({}, options.dtype(at::kDouble)), at::zeros({}, options.dtype(at::kDouble)), {}, {}, {}};
  if (layer.x_gradient) sums.x_gradient = at::empty({N, D}, layer.x.options());
  if (layer.weight_gradient) sums.weight_gradient = at::zeros({V, D}, options);
  if (layer.bias_gradient) sums.bias_gradient = at::zeros({V}, options);
  const auto rows_of_slice = x.is_cpu() ? kRowsOfSlice : kRowsOfDeviceSlice;
  for (std::int64_t first = 0; first < N; first += rows_of_slice) {
    const auto n = std::min(rows_of_slice, N - first);
    const auto rows = x.narrow(0, first, n);                              // [n, D]
    const auto targets = layer.targets.narrow(0, first, n).unsqueeze(1);  // [n, 1]
    const auto logits = at::addmm(bias, rows, weight.t()).to(number);     // [n, V]
    const auto normalizers = logits.logsumexp(1, /*keepdim=*/true);       // [n, 1]
    const auto nll = normalizers - logits.gather(1, targets);             // [n, 1]
    const auto uniform = normalizers - logits.mean(1, /*keepdim=*/true);  // [n, 1]
    const auto smoothed = (1 - layer.epsilon) * nll + layer.epsilon * uniform;
    const auto is_pad = targets.eq(kPad);
    sums.nll += nll.masked_fill(is_pad, 0).sum(at::kDouble);
    sums.smoothed += smoothed.masked_fill(is_pad, 0).sum(at::kDouble);
    if (!layer.with_gradient()) continue;
    to_gradients(logits, normalizers, targets, layer.epsilon);
    if (layer.bias_gradient) sums.bias_gradient.add_(logits.sum(0));
    const auto slopes = logits.to(factor);
    if (layer.x_gradient) sums.x_gradient.narrow(0, first, n).copy_(slopes.mm(weight));
    if (!layer.weight_gradient) continue;
    if (factor == number)
      sums.weight_gradient.addmm_(slopes.t(), rows);
    else
      sums.weight_gradient.add_(slopes.t().mm(rows));
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
    context->save_for_backward({sums.x_gradient, sums.weight_gradient, sums.bias_gradient});
    context->mark_non_differentiable({sums.nll});
    return {sums.smoothed, sums.nll};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    auto result = context->get_saved_variables();
    const auto& factor = gradients[0];  // scalar; reading it would wait for a GPU
    const bool is_one = factor.is_cpu() && *factor.const_data_ptr<double>() == 1;
    for (auto& gradient : result)
      if (!is_one && gradient.defined()) gradient = gradient * factor;
    result.emplace_back();
    return result;
  }
};

}  // namespace

LossSums output_loss(const Generator& generator, const at::Tensor& x, const at::Tensor& targets, double epsilon,
                     OutputPath path, Int8Scales int8) {
  const auto [N, D] = sizes<2>(x, "x");
  expect_width(x, generator->weight().size(1), "x");
  expect_shape(targets, {N}, "targets");
  const auto ids = targets.contiguous();
  if (ids.is_cpu())
    expect_ids(std::span(ids.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(N)), generator->weight().size(0),
               "targets");
  const bool has_kernel = path == OutputPath::kFastest && fast::has_kernels(x);
  const bool records = at::GradMode::is_enabled();
  const auto &weight = generator->weight(), &bias = generator->bias();
  const auto sums = SlicedLoss::apply(rounded_inputs(x, int8), rounded_weight(weight, int8), bias,
                                      OutputLayer{.targets = ids,
                                                  .epsilon = epsilon,
                                                  .by_kernel = has_kernel,
                                                  .x_gradient = records && x.requires_grad(),
                                                  .weight_gradient = records && weight.requires_grad(),
                                                  .bias_gradient = records && bias.requires_grad()});
  return {sums[0], sums[1]};
}

}  // namespace gloss
