#include "decoding/scorers/ensemble_scorer.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>

#include "common/error.h"

namespace gloss {
namespace {

constexpr double kNoProbability = -std::numeric_limits<double>::infinity();

struct EnsembleState final : Scorer::State {
  std::vector<std::unique_ptr<Scorer::State>> members;
};

std::vector<std::unique_ptr<Scorer::State>>& members_of(Scorer::State& state) {
  return static_cast<EnsembleState&>(state).members;
}

/// Returns log(sum of exp(x) / n). Every kind of step uses it, so that all have the same bits.
float log_mean(std::span<const double> log_probabilities) {
  const auto highest = *std::ranges::max_element(log_probabilities);
  if (highest == kNoProbability) return static_cast<float>(kNoProbability);
  double sum = 0;
  for (const auto log_probability : log_probabilities) sum += std::exp(log_probability - highest);
  return static_cast<float>(highest + std::log(sum / static_cast<double>(log_probabilities.size())));
}

/// The members' scores of the rows of a step, on the CPU.
class MemberScores {
 public:
  explicit MemberScores(const std::vector<Scorer::Step>& steps) : V_(steps.front().logits.size(1)) {
    for (const auto& step : steps) {
      logits_.push_back(step.logits.to(at::kCPU, at::kFloat).contiguous());
      log_normalizers_.push_back(step.log_normalizer.to(at::kCPU, at::kDouble).contiguous());
    }
  }

  /// Returns the log-probabilities [n] of a token.
  void of_token(std::int64_t row, std::int64_t id, std::vector<double>& log_probabilities) const {
    for (std::size_t i = 0; i < logits_.size(); ++i)
      log_probabilities[i] = static_cast<double>(logits_of(i, row)[id]) - log_normalizer(i, row);
  }

  /// Returns the highest of them for each token, [V].
  void highest(std::int64_t row, std::vector<float>& bounds) const {
    std::ranges::fill(bounds, static_cast<float>(kNoProbability));
    for (std::size_t i = 0; i < logits_.size(); ++i) {
      const auto* const logits = logits_of(i, row);
      const auto log_normalizer_of_row = log_normalizer(i, row);
      for (std::size_t id = 0; id < bounds.size(); ++id)
        bounds[id] = std::max(bounds[id], static_cast<float>(static_cast<double>(logits[id]) - log_normalizer_of_row));
    }
  }

  std::size_t count() const { return logits_.size(); }
  std::int64_t rows() const { return logits_.front().size(0); }
  std::int64_t vocabulary_size() const { return V_; }

 private:
  const float* logits_of(std::size_t member, std::int64_t row) const {
    return logits_[member].const_data_ptr<float>() + row * V_;
  }
  double log_normalizer(std::size_t member, std::int64_t row) const {
    return log_normalizers_[member].const_data_ptr<double>()[row];
  }

  std::int64_t V_;
  std::vector<at::Tensor> logits_;           ///< [rows, V] of each member
  std::vector<at::Tensor> log_normalizers_;  ///< [rows] of each member
};

/// Returns a log-normalizer multiplied by 0: 0 if it is finite, NaN for NaN and +-inf.
auto times_zero(const auto& log_normalizer) { return log_normalizer * 0; }

/// Returns [rows]: 0, or NaN if a member's is not finite.
at::Tensor log_normalizer_of(const std::vector<Scorer::Step>& steps) {
  auto result = at::zeros({steps.front().logits.size(0)}, steps.front().log_normalizer.options().dtype(at::kDouble));
  for (const auto& step : steps) result.add_(times_zero(step.log_normalizer));
  return result;
}

/// Returns [rows, V]. May overwrite the steps.
at::Tensor mean_logits(std::vector<Scorer::Step> steps) {
  if (!steps.front().logits.is_cpu()) {
    std::vector<at::Tensor> all;
    for (const auto& step : steps) all.push_back(step.logits - step.log_normalizer.unsqueeze(-1));
    return at::logsumexp(at::stack(all), 0).sub_(std::log(static_cast<double>(steps.size())));
  }
  const MemberScores scores(steps);
  const auto V = scores.vocabulary_size();
  auto result = steps.front().logits.to(at::kFloat).contiguous();  // the first member's own, overwritten
  auto* const logits = result.mutable_data_ptr<float>();
  at::parallel_for(0, scores.rows(), 1, [&](std::int64_t first, std::int64_t last) {
    std::vector<double> log_probabilities(scores.count());
    for (auto row = first; row < last; ++row)
      for (std::int64_t id = 0; id < V; ++id) {
        scores.of_token(row, id, log_probabilities);
        logits[row * V + id] = log_mean(log_probabilities);
      }
  });
  return result;
}

/// Returns the mean over the members, [rows, S]; undefined if one has none.
at::Tensor mean_attention(const std::vector<Scorer::Step>& steps) {
  at::Tensor sum;
  for (const auto& step : steps) {
    if (!step.attention.defined()) return {};
    sum = sum.defined() ? sum + step.attention : step.attention;
  }
  return sum / static_cast<double>(steps.size());
}

/// Returns the `count`-th greatest value, 1 <= count <= size.
float nth_greatest(std::span<const float> values, std::int64_t count) {
  std::vector<float> best(values.begin(), values.begin() + count);  // a heap, the least on top
  std::ranges::make_heap(best, std::greater{});
  for (const auto value : values.subspan(static_cast<std::size_t>(count))) {
    if (value <= best.front()) continue;
    std::ranges::pop_heap(best, std::greater{});
    best.back() = value;
    std::ranges::push_heap(best, std::greater{});
  }
  return best.front();
}

using Ranked = std::pair<float, std::int32_t>;

bool ranks_before(const Ranked& a, const Ranked& b) {
  return a.first != b.first ? a.first > b.first : a.second < b.second;
}

/// Finds the most likely tokens of a row, best first. The mean of n probabilities is at most the highest and at least
/// an n-th of it, so the mean is computed only for tokens that can be among the best by that bound.
void rank(const MemberScores& scores, std::int64_t row, std::int64_t width, std::vector<Ranked>& ranked) {
  constexpr double kRounding = 1e-3;  // far above rounding errors
  std::vector<float> bounds(static_cast<std::size_t>(scores.vocabulary_size()));
  scores.highest(row, bounds);
  const auto n = static_cast<double>(scores.count());
  const auto min_bound = static_cast<double>(nth_greatest(bounds, width)) - std::log(n) - kRounding;
  std::vector<double> log_probabilities(scores.count());
  ranked.clear();
  for (std::int32_t id = 0; id < std::ssize(bounds); ++id) {
    if (static_cast<double>(bounds[static_cast<std::size_t>(id)]) < min_bound) continue;
    scores.of_token(row, id, log_probabilities);
    ranked.emplace_back(log_mean(log_probabilities), id);
  }
  std::partial_sort(ranked.begin(), ranked.begin() + width, ranked.end(), ranks_before);
}

}  // namespace

EnsembleScorer::EnsembleScorer(std::vector<std::shared_ptr<const Scorer>> members) : members_(std::move(members)) {
  if (members_.empty()) throw UsageError("ensemble: wanted at least one member, got none");
  for (const auto& member : members_) {
    if (member->vocabulary_size() != vocabulary_size())
      throw UsageError("ensemble: wanted members of one vocabulary, got " + std::to_string(vocabulary_size()) +
                       " and " + std::to_string(member->vocabulary_size()) + " tokens");
    if (member->device() != device())
      throw UsageError("ensemble: wanted members on one device, got " + device().str() + " and " +
                       member->device().str());
  }
}

std::unique_ptr<Scorer::State> EnsembleScorer::start(const PaddedIds& source) const {
  auto state = std::make_unique<EnsembleState>();
  for (const auto& member : members_) state->members.push_back(member->start(source));
  return state;
}

std::vector<Scorer::Step> EnsembleScorer::step_members(State& state, std::span<const Id> tokens,
                                                       const std::optional<AttentionSite>& site) const {
  auto& states = members_of(state);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < members_.size(); ++i) steps.push_back(members_[i]->step(*states[i], tokens, site));
  return steps;
}

Scorer::Step EnsembleScorer::step(State& state, std::span<const Id> tokens,
                                  const std::optional<AttentionSite>& site) const {
  const c10::InferenceMode inference;
  auto steps = step_members(state, tokens, site);
  Step result;
  result.log_normalizer = log_normalizer_of(steps);  // [B * K]
  result.attention = mean_attention(steps);          // [B * K, S]
  result.logits = mean_logits(std::move(steps));     // [B * K, V]
  return result;
}

Scorer::TopStep EnsembleScorer::step_top(State& state, std::span<const Id> tokens, std::int64_t width,
                                         const std::optional<AttentionSite>& site) const {
  if (!device().is_cpu()) return Scorer::step_top(state, tokens, width, site);
  const c10::InferenceMode inference;
  const auto steps = step_members(state, tokens, site);
  const MemberScores scores(steps);
  const auto rows = scores.rows();
  const auto normalizers = log_normalizer_of(steps);  // [B * K]
  TopTokens top{width,
                std::vector<float>(static_cast<std::size_t>(rows * width)),
                Ids(static_cast<std::size_t>(rows * width)),
                {normalizers.const_data_ptr<double>(), normalizers.const_data_ptr<double>() + rows}};
  at::parallel_for(0, rows, 1, [&](std::int64_t first, std::int64_t last) {
    std::vector<Ranked> ranked;
    for (auto row = first; row < last; ++row) {
      if (std::isnan(top.log_normalizers[static_cast<std::size_t>(row)])) continue;
      rank(scores, row, width, ranked);
      for (std::int64_t i = 0; i < width; ++i)
        std::tie(top.logits[static_cast<std::size_t>(row * width + i)],
                 top.ids[static_cast<std::size_t>(row * width + i)]) = ranked[static_cast<std::size_t>(i)];
    }
  });
  return {std::move(top), mean_attention(steps)};
}

TokenScores EnsembleScorer::step_forced(State& state, std::span<const Id> tokens, std::span<const Id> next) const {
  if (!device().is_cpu()) return Scorer::step_forced(state, tokens, next);
  auto& states = members_of(state);
  std::vector<TokenScores> members;
  for (std::size_t i = 0; i < members_.size(); ++i)
    members.push_back(members_[i]->step_forced(*states[i], tokens, next));
  TokenScores result;
  std::vector<double> log_probabilities(members.size());
  for (std::size_t row = 0; row < next.size(); ++row) {
    double log_normalizer = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
      log_probabilities[i] = members[i].logits[row] - members[i].log_normalizers[row];
      log_normalizer += times_zero(members[i].log_normalizers[row]);
    }
    result.logits.push_back(static_cast<double>(log_mean(log_probabilities)));
    result.log_normalizers.push_back(log_normalizer);
  }
  return result;
}

void EnsembleScorer::select(State& state, const std::vector<std::int64_t>& sentences,
                            const std::vector<std::int64_t>& parents) const {
  auto& states = members_of(state);
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->select(*states[i], sentences, parents);
}

const DeviceScorer* EnsembleScorer::on_device() const {
  const auto has = [](const auto& member) { return member->on_device() != nullptr; };
  return !device().is_cpu() && std::ranges::all_of(members_, has) ? this : nullptr;
}

Scorer::Step EnsembleScorer::step_on_device(State& state, const at::Tensor& tokens) const {
  const c10::InferenceMode inference;
  auto& states = members_of(state);
  std::vector<Step> steps;
  for (std::size_t i = 0; i < members_.size(); ++i)
    steps.push_back(members_[i]->on_device()->step_on_device(*states[i], tokens));
  Step result;
  result.log_normalizer = log_normalizer_of(steps);  // [B * K]
  result.logits = mean_logits(std::move(steps));     // [B * K, V]
  return result;
}

void EnsembleScorer::reorder(State& state, const at::Tensor& rows) const {
  auto& states = members_of(state);
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->on_device()->reorder(*states[i], rows);
}

std::int64_t EnsembleScorer::max_target_length() const {
  return std::ranges::min(members_, {}, &Scorer::max_target_length)->max_target_length();
}

std::shared_ptr<const Scorer> make_ensemble(std::vector<std::shared_ptr<const Scorer>> members) {
  if (members.size() == 1) return std::move(members.front());
  return std::make_shared<EnsembleScorer>(std::move(members));
}

}  // namespace gloss
