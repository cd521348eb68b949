#include "explain/position_views.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/linalg_pinv.h>
#include <ATen/ops/stack.h>
#include <c10/core/InferenceMode.h>

#include "common/special_ids.h"
#include "explain/number_array.h"
#include "explain/recorded_pass.h"
#include "model/part.h"

namespace gloss {
namespace {

constexpr std::int64_t kPositions = 64;

/// Computes PE(t + k) from PE(t), both [n, D], for sinusoids. Every pair (sin, cos) turns by k times its frequency
/// (sinusoids()). If D is odd, the last column has no pair and stays.
at::Tensor rotated(const at::Tensor& table, std::int64_t k, PositionFrequencies frequencies) {
  const auto n = table.size(0), D = table.size(1), pairs = D / 2;  // no pair if D is 1
  const auto slope = frequencies == PositionFrequencies::kPaper
                         ? -2 * std::log(10000.0) / static_cast<double>(D)
                         : -std::log(10000.0) / static_cast<double>(std::max<std::int64_t>(pairs - 1, 1));
  const auto angles = (at::arange(pairs, at::kDouble) * slope).exp() * k;
  const auto paired = table.narrow(1, 0, 2 * pairs).to(at::kDouble).reshape({n, pairs, 2});
  const auto sin = paired.select(2, 0), cos = paired.select(2, 1);
  auto result = table.clone();
  result.narrow(1, 0, 2 * pairs)
      .copy_(at::stack({sin * angles.cos() + cos * angles.sin(), cos * angles.cos() - sin * angles.sin()}, 2)
                 .view({n, 2 * pairs}));
  return result;
}

/// Computes PE(t + k) from PE(t), both [n, D], by the linear map of least squares. With n <= D there is a map that fits
/// any rows.
at::Tensor fitted(const at::Tensor& from, const at::Tensor& to) {
  const auto x = from.to(at::kDouble), y = to.to(at::kDouble);
  return x.matmul(at::linalg_pinv(x).matmul(y)).to(at::kFloat);
}

/// Returns the largest distance over t between PE(t + k) and the image of PE(t), for each k.
Json shifts_of(const at::Tensor& table, const ModelConfig& config) {
  const bool learned = config.positions == Positions::kLearned;
  const auto P = table.size(0);
  Json distances = Json::array(), residuals = Json::array();
  for (const std::int64_t k : {1, 2, 4, 8, 16}) {
    if (k >= P) break;
    distances.push_back(k);
    if (learned && P - k <= table.size(1)) {
      residuals.push_back(nullptr);
      continue;
    }
    const auto from = table.narrow(0, 0, P - k), to = table.narrow(0, k, P - k);
    const auto image = learned ? fitted(from, to) : rotated(from, k, config.position_frequencies);
    residuals.push_back(shortest((to - image).norm(2, -1).max().item<float>()));
  }
  return {{"k", std::move(distances)}, {"residual", std::move(residuals)}};
}

/// Returns the views of one side. The shifts are computed from the rows `all`; `first` is the side's first sublayer in
/// `pass`.
Json views_of(const at::Tensor& table, const at::Tensor& all, const ModelConfig& config, const Part& first,
              const RecordedPass& pass) {
  const auto dot = table.matmul(table.transpose(0, 1));  // [P, P]
  const auto norm = table.norm(2, -1);                   // [P]
  Json views{{"kind", config.positions == Positions::kLearned ? "learned" : "sinusoidal"},
             {"table", number_array(table)},
             {"dot", number_array(dot)},
             {"norm", number_array(norm)},
             {"shift", shifts_of(all, config)}};
  if (first.is_attention())
    views["heads"] = {{"part", first.name()},
                      {"clean", number_array(dot / (norm.unsqueeze(0) * norm.unsqueeze(1)))},
                      {"learned", number_array(pass.attention.at(first.site()).weights)}};
  return views;
}

}  // namespace

Json position_views(EncoderDecoder model, const ModelConfig& config) {
  if (!config.adds_positions()) return nullptr;
  const c10::InferenceMode inference;
  const auto count = std::min(kPositions, config.position_limit().value_or(kPositions));
  // Any tokens suffice, since they are removed.
  const Ids ids(static_cast<std::size_t>(count), kEos);
  const auto pass = record_pass(model, {ids, ids}, {{.part = Part{.kind = Part::Kind::kTokens}}});
  const auto side = [&](Part::Side of, const RecordedPass::Embedding& embedding, PositionalEncoding positions) {
    const auto first = sublayers(config, of, 0).front();
    const auto all = positions(0, positions->limit().value_or(kPositions), model->device()).to(at::kCPU);
    return views_of(embedding.positions, all, config, first, pass);
  };
  return {{"source", side(Part::Side::kEncoder, pass.source, model->source_positions())},
          {"target", side(Part::Side::kDecoder, pass.target, model->target_positions())}};
}

}  // namespace gloss
