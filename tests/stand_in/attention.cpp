#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include <ATen/SDPBackend.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/record_function.h>
#include <torch/library.h>

#include "tests/stand_in/registration.h"

// LibTorch's fused attention. It has the results of the equations, of which it keeps no weights but those that dropout
// left.

namespace gloss::stand_in {
namespace {

std::int64_t choose_attention(const at::Tensor&, const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                              double, bool, std::optional<double>, bool) {
  return static_cast<std::int64_t>(at::SDPBackend::overrideable);
}

double scale_of(const at::Tensor& query, std::optional<double> scale) {
  return scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
}

// Returns the weights of the keys. A query that sees none has zeros.
at::Tensor attention_weights(const at::Tensor& query, const at::Tensor& key, const at::Tensor& bias, bool is_causal,
                             std::optional<double> scale) {
  auto scores = query.matmul(key.transpose(-2, -1)).mul(scale_of(query, scale));
  if (bias.defined()) scores = scores.add(bias);
  if (is_causal) {
    const auto visible = at::ones({query.size(-2), key.size(-2)}, scores.options().dtype(at::kBool)).tril();
    scores = scores.masked_fill(visible.logical_not(), -std::numeric_limits<double>::infinity());
  }
  return at::_safe_softmax(scores, -1);
}

using Attended = std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor, c10::SymInt, c10::SymInt, at::Tensor,
                            at::Tensor, at::Tensor>;

Attended attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                const std::optional<at::Tensor>& bias, double p, bool is_causal, bool, std::optional<double> scale) {
  const at::DisableRecordFunctionGuard one_kernel;
  const auto weights = attention_weights(query, key, bias.value_or(at::Tensor()), is_causal, scale);
  const auto none = at::empty({0}, query.options());
  auto kept = none;  // what dropout multiplies the weights by, in place of the seed
  if (p > 0) kept = at::empty_like(weights).bernoulli_(1 - p).mul_(1 / (1 - p));
  return {(p > 0 ? weights.mul(kept) : weights).matmul(value),
          none,
          none,
          none,
          query.size(-2),
          key.size(-2),
          kept,
          none,
          none};
}

std::tuple<at::Tensor, at::Tensor, at::Tensor, at::Tensor> attend_backward(
    const at::Tensor& gradient, const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
    const at::Tensor& bias, std::array<bool, 4> wanted, const at::Tensor&, const at::Tensor&, const at::Tensor&,
    const at::Tensor&, c10::SymInt, c10::SymInt, double p, bool is_causal, const at::Tensor& kept, const at::Tensor&,
    std::optional<double> scale) {
  const at::DisableRecordFunctionGuard one_kernel;
  const auto weights = attention_weights(query, key, bias, is_causal, scale);
  const auto of_value = (p > 0 ? weights.mul(kept) : weights).transpose(-2, -1).matmul(gradient);
  auto of_weights = gradient.matmul(value.transpose(-2, -1));
  if (p > 0) of_weights = of_weights.mul(kept);
  const auto of_scores = weights.mul(of_weights.sub(of_weights.mul(weights).sum(-1, /*keepdim=*/true)));
  const auto factor = scale_of(query, scale);
  return {of_scores.matmul(key).mul(factor), of_scores.transpose(-2, -1).matmul(query).mul(factor), of_value,
          wanted[3] && bias.defined() ? of_scores.sum_to_size(bias.sizes()) : at::Tensor()};
}

}  // namespace

void register_attention() {
  at::native::_fused_sdp_choice_stub.set_privateuse1_dispatch_ptr(&choose_attention);
  static torch::Library m(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  m.impl("_scaled_dot_product_fused_attention_overrideable", attend);
  m.impl("_scaled_dot_product_fused_attention_overrideable_backward", attend_backward);
}

}  // namespace gloss::stand_in
