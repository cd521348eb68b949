#include "decoding/beam.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

namespace gloss {

void Beam::advance(std::span<const Candidate> candidates, std::span<const float> attention) {
  ++length_;
  add_attention(attention);
  const auto beam_size = config_->beam_size;
  std::vector<Row> next;
  for (std::int64_t place = 0; place < std::ssize(candidates); ++place) {
    const auto& [parent, id, log_probability, penalty] = candidates[place];
    Row row{rows_[parent].ids, log_probability, penalty, parent, rows_[parent].coverage};
    if (id == kEos) {
      if (place < beam_size) finish(std::move(row), true);
      continue;
    }
    row.ids.push_back(id);
    if (length_ == limit_) {
      if (place < beam_size) finish(std::move(row), false);
    } else if (std::ssize(next) < most_rows_) {
      next.push_back(std::move(row));
    }
  }
  if (candidates.empty() && finished_.empty())
    for (auto& row : rows_) finish(std::move(row), false);
  rows_ = std::move(next);
}

bool Beam::done() const {
  if (rows_.empty()) return true;
  // At its best a live one loses no probability any more, divides what it lost by the greatest length and comes to
  // attend to all of the source.
  const auto& best = rows_.front();
  const double possible = length_normalised(best.log_probability - best.penalty, limit_, *config_);
  const auto are_better = [&](std::int64_t count) {
    return std::ssize(finished_) >= count && finished_[count - 1].score >= possible;
  };
  if (are_better(config_->n_best)) return true;
  if (std::ssize(finished_) < config_->enough_finished()) return false;
  return config_->length_penalty > 0 || are_better(1);
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

void Beam::finish(Row row, bool ended) {
  auto hypothesis = make_hypothesis(std::move(row.ids), row.log_probability, ended, *config_, row.coverage);
  const auto length = std::ssize(hypothesis.ids) + (ended ? 1 : 0);
  if (row.penalty > 0) hypothesis.score -= length_normalised(row.penalty, length, *config_);
  const auto place = std::upper_bound(finished_.begin(), finished_.end(), hypothesis,
                                      [](const auto& a, const auto& b) { return a.score > b.score; });
  finished_.insert(place, std::move(hypothesis));
}

}  // namespace gloss
