#include "decoding/beam.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace gloss {

void Beam::advance(std::span<const Candidate> candidates) {
  ++length_;
  const auto beam_size = config_->beam_size;
  std::vector<Row> next;
  for (std::int64_t place = 0; place < std::ssize(candidates); ++place) {
    const auto& [row, id, log_probability] = candidates[place];
    auto ids = rows_[row].ids;
    if (id == kEos) {
      if (place < beam_size) finish(std::move(ids), log_probability, true);
      continue;
    }
    ids.push_back(id);
    if (length_ == limit_) {
      if (place < beam_size) finish(std::move(ids), log_probability, false);
    } else if (std::ssize(next) < beam_size) {
      next.push_back({std::move(ids), log_probability, row});
    }
  }
  if (candidates.empty() && finished_.empty())
    for (auto& row : rows_) finish(std::move(row.ids), row.log_probability, false);
  rows_ = std::move(next);
}

bool Beam::done() const {
  if (rows_.empty()) return true;
  // At its best a live one loses no probability any more and divides what it lost by the greatest length.
  const double possible = length_normalised(rows_.front().log_probability, limit_, *config_);
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

void Beam::finish(Ids ids, double log_probability, bool ended) {
  auto hypothesis = make_hypothesis(std::move(ids), log_probability, ended, *config_);
  const auto place = std::upper_bound(finished_.begin(), finished_.end(), hypothesis,
                                      [](const auto& a, const auto& b) { return a.score > b.score; });
  finished_.insert(place, std::move(hypothesis));
}

}  // namespace gloss
