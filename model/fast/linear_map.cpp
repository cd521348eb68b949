#include "model/fast/linear_map.h"

#include <cstdint>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "kernels/kernel_table.h"
#include "model/fast/fast_dropout.h"
#include "model/fast/matrix_product.h"

namespace gloss {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

at::Tensor rows_of(const at::Tensor& x) { return x.reshape({-1, x.size(-1)}); }  // [N, width]

std::vector<std::int64_t> with_width(const at::Tensor& x, std::int64_t width) {
  auto shape = x.sizes().vec();
  shape.back() = width;
  return shape;
}

at::Tensor map_rows(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const RowsFinished& finished,
                    at::Tensor& out) {
  const auto rows = rows_of(x).contiguous();
  multiply(rows, transposed(weight), bias, out, finished);
  return rows;
}

// Returns the gradients of x, weight and bias from that of the product, [..., out].
variable_list map_backward(AutogradContext& context, const at::Tensor& gradient, const at::Tensor& x,
                           const at::Tensor& weight, at::IntArrayRef shape) {
  const auto rows = rows_of(gradient).contiguous();  // [N, out]
  at::Tensor of_x, of_weight, of_bias;
  if (context.needs_input_grad(0)) {
    of_x = at::empty(x.sizes(), x.options());
    multiply(rows, weight, {}, of_x);
    of_x = of_x.view(shape);
  }
  if (context.needs_input_grad(1)) {
    of_weight = at::empty(weight.sizes(), weight.options());
    multiply_transposed(rows, x, of_weight, /*add=*/false);
  }
  if (context.needs_input_grad(2)) of_bias = column_sums(rows);
  return {of_x, of_weight, of_bias};
}

class LinearMap : public torch::autograd::Function<LinearMap> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias) {
    auto out = at::empty({x.numel() / x.size(-1), weight.size(0)}, x.options());  // [N, out]
    const auto rows = map_rows(x, weight, bias, {}, out);
    context->saved_data["shape"] = x.sizes();
    context->save_for_backward({rows, weight});
    return out.view(with_width(x, weight.size(0)));
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    return map_backward(*context, gradients[0], saved[0], saved[1], context->saved_data["shape"].toIntVector());
  }
};

class LinearReluDropout : public torch::autograd::Function<LinearReluDropout> {
 public:
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, const kernels::DropoutMask& mask) {
    const auto width = weight.size(0);
    auto out = at::empty({x.numel() / x.size(-1), width}, x.options());  // [N, out]
    auto* const values = out.mutable_data_ptr<float>();
    const auto drop = [&](std::int64_t first, std::int64_t rows) {
      kernels::kernel_table().relu_and_dropout(values + first * width, static_cast<std::uint64_t>(first * width),
                                               static_cast<std::uint64_t>(rows * width), mask);
    };
    const auto rows = map_rows(x, weight, bias, drop, out);
    context->saved_data["shape"] = x.sizes();
    context->saved_data["scale"] = static_cast<double>(mask.scale);
    out = out.view(with_width(x, width));
    context->save_for_backward({rows, weight, out});
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const auto scale = static_cast<float>(context->saved_data["scale"].toDouble());
    const auto gradient = gradients[0].contiguous();
    const auto before = at::empty_like(gradient);  // the gradient before dropout and relu
    const auto *value = saved[2].const_data_ptr<float>(), *from = gradient.const_data_ptr<float>();
    auto* const to = before.mutable_data_ptr<float>();
    at::parallel_for(0, gradient.numel(), 1 << 14, [&](std::int64_t begin, std::int64_t end) {
      kernels::kernel_table().relu_and_dropout_backward(value + begin, from + begin, to + begin,
                                                        static_cast<std::uint64_t>(end - begin), scale);
    });
    auto result = map_backward(*context, before, saved[0], saved[1], context->saved_data["shape"].toIntVector());
    result.emplace_back();
    return result;
  }
};

}  // namespace

at::Tensor linear_map(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  // A function of autograd takes no undefined tensor.
  return LinearMap::apply(x, weight,
                          bias.defined() ? bias : at::zeros({weight.size(0)}, x.options().requires_grad(false)));
}

at::Tensor linear_relu_dropout(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                               const kernels::DropoutMask& mask) {
  return LinearReluDropout::apply(x, weight, bias, mask);
}

}  // namespace gloss
