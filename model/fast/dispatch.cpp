#include "model/fast/dispatch.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>

#include "model/fast/fast_attention.h"
#include "model/fast/fast_dropout.h"
#include "model/fast/linear_map.h"
#include "model/int8_rounding.h"
#include "tensor/accelerator.h"

namespace gloss::fast {
namespace {

constexpr std::int64_t kMaxKernelPositions = 512;  // so that a head's weights stay in the cache

// Returns whether the product of x and the weight is part of an update on the CPU.
bool trains_on_kernels(const at::Tensor& x, const at::Tensor& weight) {
  return at::GradMode::is_enabled() && (x.requires_grad() || weight.requires_grad()) && has_kernels(x);
}

}  // namespace

bool has_kernels(const at::Tensor& x) { return x.is_cpu() && x.scalar_type() == at::kFloat; }

std::optional<at::Tensor> linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                 const Pass& pass) {
  if (pass.plain) return std::nullopt;
  return trains_on_kernels(x, weight) ? linear_map(x, weight, bias) : at::linear(x, weight, bias);
}

std::optional<at::Tensor> linear_relu_dropout(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                              double p, const Pass& pass, std::string_view site) {
  if (pass.plain || !pass.training || p == 0 || !trains_on_kernels(x, weight)) return std::nullopt;
  return gloss::linear_relu_dropout(rounded_inputs(x, pass.int8), rounded_weight(weight, pass.int8), bias,
                                    dropout_mask(p, pass, site));
}

std::optional<at::Tensor> layer_norm(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                     double epsilon, const Pass& pass) {
  if (pass.plain) return std::nullopt;
  return at::layer_norm(x, weight.sizes(), weight, bias, epsilon);
}

std::optional<at::Tensor> dropout(const at::Tensor& x, double p, const Pass& pass, std::string_view site) {
  if (pass.plain) return std::nullopt;
  if (is_accelerator(x.device())) return torch_dropout(x, p, pass.stream(site));
  if (has_kernels(x)) return kernel_dropout(x, dropout_mask(p, pass, site));
  return std::nullopt;
}

std::optional<at::Tensor> dropout_and_add(const at::Tensor& residual, const at::Tensor& x, double p, const Pass& pass,
                                          std::string_view site) {
  if (pass.plain || !pass.training || p == 0 || !has_kernels(x) || !has_kernels(residual)) return std::nullopt;
  return kernel_dropout_and_add(residual, x, dropout_mask(p, pass, site));
}

std::optional<at::Tensor> attention(const ScoresImpl& scores, const at::Tensor& query, const at::Tensor& key,
                                    const at::Tensor& value, const Mask& mask, const AttentionContext& context) {
  const bool drops = context.pass.training && context.dropout > 0;
  // A probe needs the weights; on the CPU dropout draws its own numbers for them, which LibTorch's operator cannot.
  if (context.pass.plain || context.pass.probe != nullptr || (drops && query.is_cpu()) || !scores.is_scaled_dot())
    return std::nullopt;
  return fused_attention(query, key, value, mask, context);
}

std::optional<at::Tensor> concatenated_heads(const ScoresImpl& scores, const AttentionMaps& maps, const at::Tensor& x,
                                             const at::Tensor& memory, const Mask& mask,
                                             const AttentionContext& context) {
  const bool fits = has_kernels(x) && x.size(1) <= kMaxKernelPositions && memory.size(1) <= kMaxKernelPositions &&
                    !mask.hidden().defined() && scores.is_scaled_dot();
  // In translation the weights would be copied at every step to stand side by side, which pays in training only.
  if (context.pass.plain || context.pass.probe != nullptr || !fits || !at::GradMode::is_enabled()) return std::nullopt;
  const auto &query = maps.query, &key = maps.key, &value = maps.value;
  const auto rounded = [&](const Linear& map) { return rounded_weight(map->weight(), context.pass.int8); };
  const auto input = rounded_inputs(x, context.pass.int8);
  if (x.is_same(memory)) {
    const auto projected = linear(input, at::cat({rounded(query), rounded(key), rounded(value)}),
                                  at::cat({query->bias(), key->bias(), value->bias()}), context.pass);  // [B, T, 3D]
    return kernel_self_attention(*projected, maps.heads, mask, context);
  }
  const auto keys_and_values =
      linear(rounded_inputs(memory, context.pass.int8), at::cat({rounded(key), rounded(value)}),
             at::cat({key->bias(), value->bias()}), context.pass);  // [B, S, 2D]
  return kernel_cross_attention(*linear(input, rounded(query), query->bias(), context.pass), *keys_and_values,
                                maps.heads, mask, context);
}

}  // namespace gloss::fast
