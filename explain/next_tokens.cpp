#include "explain/next_tokens.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <ATen/TensorOperators.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/logsumexp.h>

#include "explain/number_array.h"

namespace gloss {
namespace {

constexpr std::int64_t kTokens = 100;
constexpr int kTemperatures = 20;

/// Log-probabilities of a vocabulary, the most likely token of each step first.
struct SortedTokens {
  at::Tensor log_p, ids;  ///< [T, V]

  explicit SortedTokens(const at::Tensor& logits) {
    std::tie(log_p, ids) = logits.log_softmax(-1).sort(/*stable=*/true, /*dim=*/-1, /*descending=*/true);
  }

  /// Returns `count` pairs of id and log-probability for each step.
  std::vector<Json> likeliest(std::int64_t count) const {
    const auto top = log_p.narrow(1, 0, count).contiguous(), top_ids = ids.narrow(1, 0, count).contiguous();
    std::vector<Json> steps(static_cast<std::size_t>(log_p.size(0)), Json::array());
    for (std::int64_t i = 0; i < top.numel(); ++i)
      steps[static_cast<std::size_t>(i / count)].push_back(
          {top_ids.const_data_ptr<std::int64_t>()[i], shortest(top.const_data_ptr<float>()[i])});
    return steps;
  }
};

}  // namespace

Json decoding_steps(const at::Tensor& logits) {
  const SortedTokens sorted(logits);
  const auto V = logits.size(1), count = std::min(kTokens, V);
  const auto rest = sorted.log_p.narrow(1, count, V - count);
  std::vector<at::Tensor> tails;
  if (V > count)
    for (int i = 1; i <= kTemperatures; ++i) tails.push_back((rest / (i * 0.1)).logsumexp(-1));  // [T]

  Json steps = Json::array();
  for (auto& likeliest : sorted.likeliest(count)) {
    Json tail = Json::array();
    for (const auto& of_steps : tails)
      tail.push_back(shortest(of_steps[static_cast<std::int64_t>(steps.size())].item<float>()));
    steps.push_back({{"top", std::move(likeliest)}, {"tail", V > count ? std::move(tail) : Json()}});
  }
  return steps;
}

Json likeliest_tokens(const at::Tensor& logits) {
  SortedTokens sorted(logits);
  sorted.log_p = sorted.log_p.round(/*decimals=*/3);
  Json steps = Json::array();
  for (auto& likeliest : sorted.likeliest(std::min(Candidates::kCount, logits.size(1))))
    steps.push_back({{"top", std::move(likeliest)}});
  return steps;
}

Candidates::Candidates(const at::Tensor& logits, std::span<const Id> target) {
  const auto [sorted, order] = logits.sort(/*stable=*/true, /*dim=*/-1, /*descending=*/true);
  ids = order.narrow(1, 0, std::min(kCount, logits.size(1))).clone();
  for (std::int64_t t = 0; t < ids.size(0); ++t) {
    const auto token = static_cast<std::int64_t>(target[static_cast<std::size_t>(t)]);
    if (!ids[t].eq(token).any().item<bool>()) ids[t][ids.size(1) - 1] = token;
  }
}

at::Tensor Candidates::log_probabilities(const at::Tensor& logits) const {
  auto shape = logits.sizes().vec();
  shape.back() = ids.size(1);
  return logits.log_softmax(-1).gather(-1, ids.to(logits.device()).expand(shape)).to(at::kCPU);
}

Json to_json(const Candidates& candidates, const at::Tensor& logits) {
  Json ids = Json::array();
  const auto& chosen = candidates.ids;
  for (std::int64_t t = 0; t < chosen.size(0); ++t) {
    const auto* const row = chosen.const_data_ptr<std::int64_t>() + t * chosen.size(1);
    ids.push_back(std::vector<std::int64_t>(row, row + chosen.size(1)));
  }
  return {{"ids", std::move(ids)}, {"log_probabilities", number_array(candidates.log_probabilities(logits))}};
}

}  // namespace gloss
