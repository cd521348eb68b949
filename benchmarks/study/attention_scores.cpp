#include <cmath>

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "benchmarks/study/figures.h"
#include "benchmarks/study/measuring.h"
#include "model/attention.h"

namespace gloss::study {
namespace {

constexpr std::int64_t kBatch = 4, kHeads = 4;

/// Keeps the weights.
class WeightProbe final : public Probe {
 public:
  void attention(std::string_view, at::Tensor& weights, const at::Tensor&) override { weights_ = weights.detach(); }

  at::Tensor weights_;  ///< [B, H, T, S]
};

Json figures_of(std::int64_t d_k, std::int64_t positions, bool scaled) {
  const std::vector<std::int64_t> shape = {kBatch, kHeads, positions, d_k};
  auto query = random_normal(shape, "query");
  const auto key = random_normal(shape, "key"), value = random_normal(shape, "value");
  const auto root = std::sqrt(static_cast<double>(d_k));
  if (!scaled) query = query * root;  // undoes the division
  query.requires_grad_();

  WeightProbe probe;
  const Pass pass{.probe = &probe, .plain = true};
  auto scores = scaled_dot_scores(query, key);  // [B, H, T, S]
  scores.retain_grad();
  const auto output = attend_by_scores(scores, value, Mask::unmasked(), {.pass = pass, .site = "study"});
  // Divided by the root, so that the gradient of a weight, a dot product with its value, has variance 1.
  output.backward(random_normal(shape, "upstream") / root);

  const auto& weights = probe.weights_;
  const auto gradient = scores.grad().abs();
  const auto entropy = -(weights * weights.clamp_min(1e-30).log()).sum(-1).mean();
  return {{"scaled", scaled},
          {"d_k", d_k},
          {"variance", scores.detach().var().item<double>()},
          {"entropy", entropy.item<double>()},
          {"max_weight", weights.amax(-1).mean().item<double>()},
          {"gradient", gradient.mean().item<double>()},
          {"median_gradient", gradient.median().item<double>()}};
}

}  // namespace

Json attention_scores(const std::vector<std::int64_t>& widths, std::int64_t positions) {
  Json rows = Json::array();
  for (const bool scaled : {true, false})
    for (const auto width : widths) rows.push_back(figures_of(width, positions, scaled));
  return {{"positions", positions}, {"rows", rows}};
}

}  // namespace gloss::study
