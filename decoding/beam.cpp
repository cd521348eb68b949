#include "decoding/beam.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace gloss {

void Beam::advance(std::span<const Candidate> candidates, std::span<const float> attention) {
  ++length_;
  add_attention(attention);
  const auto finished_before = std::ssize(finished_);
  if (config_->shrinking_beam)
    candidates = candidates.first(static_cast<std::size_t>(std::min(std::ssize(candidates), max_rows_)));
  std::vector<Row> next;
  for (std::int64_t rank = 0; rank < std::ssize(candidates); ++rank) {
    const auto& candidate = candidates[rank];
    const bool ended = candidate.id == kEos, finishes = ended || length_ == limit_;
    if (finishes ? rank >= config_->beam_size : std::ssize(next) >= max_rows_) continue;
    auto row = extended(candidate);
    if (finishes)
      finish(row, ended);
    else
      next.push_back(std::move(row));
  }
  if (candidates.empty() && finished_.empty())
    for (const auto& row : rows_) finish(row, false);
  if (config_->shrinking_beam) max_rows_ -= std::ssize(finished_) - finished_before;
  rows_ = std::move(next);
}

bool Beam::done() const {
  if (rows_.empty()) return true;
  if (are_better(config_->n_best, rows_.front())) return true;
  if (std::ssize(finished_) < config_->enough_finished()) return false;
  return config_->length_penalty > 0 || are_better(1, rows_.front());
}

/// Returns whether `count` finished hypotheses score no less than the best future of a live one: no more probability is
/// lost, the length is maximal, and the whole source gets attended to.
bool Beam::are_better(std::int64_t count, const Row& row) const {
  const double possible = length_normalized(row.log_probability - row.penalty, limit_, *config_);
  return std::ssize(finished_) >= count && finished_[count - 1].score >= possible;
}

std::vector<Hypothesis> Beam::best() const {
  return {finished_.begin(), finished_.begin() + std::min<std::int64_t>(std::ssize(finished_), config_->n_best)};
}

void Beam::add_attention(std::span<const float> attention) {
  if (attention.empty()) return;
  const auto S = attention.size() / rows_.size();
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    auto& coverage = rows_[k].coverage;
    coverage.resize(S);
    std::ranges::transform(coverage, attention.subspan(k * S, S), coverage.begin(), std::plus{});
  }
}

/// Adds the token of a continuation to the tree and returns its row.
Beam::Row Beam::extended(const Candidate& candidate) {
  const auto& parent = rows_[candidate.row];
  tokens_.push_back({candidate.id, parent.token, candidate.token_log_probability});
  return {.last = candidate.id,
          .log_probability = candidate.log_probability,
          .penalty = candidate.penalty,
          .parent = candidate.row,
          .token = std::ssize(tokens_) - 1,
          .coverage = parent.coverage};
}

Ids Beam::ids(const Row& row) const {
  Ids result;
  for (auto token = row.token; token >= 0; token = tokens_[token].parent) result.push_back(tokens_[token].id);
  std::ranges::reverse(result);
  return result;
}

/// Returns the tokens of a row, without a score.
Hypothesis Beam::so_far(const Row& row) const {
  Hypothesis hypothesis{ids(row), row.log_probability};
  auto& log_probabilities = hypothesis.token_log_probabilities;
  for (auto token = row.token; token >= 0; token = tokens_[token].parent)
    log_probabilities.push_back(tokens_[token].log_probability);
  std::ranges::reverse(log_probabilities);
  return hypothesis;
}

Hypothesis Beam::certain() const {
  auto result = finished_.empty() ? so_far(rows_.front()) : finished_.front();
  if (done()) return result;
  for (const auto& row : rows_) {
    if (are_better(1, row)) continue;
    const auto other = ids(row);
    result.ids.resize(static_cast<std::size_t>(std::ranges::mismatch(result.ids, other).in1 - result.ids.begin()));
  }
  result.token_log_probabilities.resize(result.ids.size());
  return result;
}

void Beam::finish(const Row& row, bool ended) {
  auto hypothesis = so_far(row);
  hypothesis.ended = ended;
  if (ended) hypothesis.ids.pop_back();
  hypothesis.score = score_of(hypothesis, *config_, row.coverage);
  if (row.penalty > 0) hypothesis.score -= length_normalized(row.penalty, hypothesis.length(), *config_);
  const auto next = std::upper_bound(finished_.begin(), finished_.end(), hypothesis,
                                     [](const auto& a, const auto& b) { return a.score > b.score; });
  finished_.insert(next, std::move(hypothesis));
}

}  // namespace gloss
