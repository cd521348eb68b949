#include "alignment/alignment_model.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include "common/system/parallel_for.h"

namespace gloss {
namespace {

constexpr double kCountUnit = 4294967296;  // 2^32

bool is_empty(const IdPair& line) { return line.source.empty() || line.target.empty(); }

/// The given and the emitted words of a line.
struct Sides {
  const Ids &given, &emitted;
};
Sides sides_of(const IdPair& line, std::size_t direction) {
  return direction == 0 ? Sides{line.source, line.target} : Sides{line.target, line.source};
}

void add_count(std::uint64_t& sum, std::uint64_t count) {
  if (count > 0) std::atomic_ref(sum).fetch_add(count, std::memory_order_relaxed);
}

/// Asymptotic series, with the recurrence up to 7.
double digamma(double x) {
  double result = 0;
  for (; x < 7; ++x) result -= 1 / x;
  x -= 0.5;
  const double s = 1 / (x * x);
  return result + std::log(x) + s * (1. / 24 + s * (-7. / 960 + s * (31. / 8064 - s * 127. / 30720)));
}

/// The distribution of one given word, from its expected counts.
class Translations {
 public:
  Translations(std::uint64_t total, std::int64_t partners, double alpha) : alpha_(alpha) {
    const double sum = static_cast<double>(total) / kCountUnit + alpha * static_cast<double>(partners);
    divisor_ = alpha == 0 ? sum : digamma(sum);
  }
  double probability(std::uint64_t count) const {
    const double c = static_cast<double>(count) / kCountUnit;
    if (alpha_ == 0) return count == 0 ? 0 : c / divisor_;
    return std::exp(digamma(c + alpha_) - divisor_);
  }

 private:
  double alpha_, divisor_;
};

/// Returns a probability as float; 0 in place of numbers that processors compute slowly.
float as_float(double probability) {
  return probability < std::numeric_limits<float>::min() ? 0 : static_cast<float>(probability);
}

}  // namespace

double DirectionFit::perplexity() const { return std::exp(-log_likelihood / words); }

/// Memory of one thread.
struct AlignmentModel::Workspace {
  DiagonalPrior prior;
  std::vector<WordPair*> pairs;  ///< [sources, targets]
  std::vector<double> scores;    ///< of no word, then of each given word
  std::vector<std::uint64_t> totals;
};

void AlignmentModel::add(std::span<const IdPair> lines) {
  table_.add(lines, settings_.threads);
  for (const auto& line : lines)
    for (std::size_t d = 0; d < directions_.size() && !is_empty(line); ++d) {
      const auto [given, emitted] = sides_of(line, d);
      ++directions_[d].sizes[{given.size(), emitted.size()}];
      directions_[d].words += static_cast<double>(emitted.size());
    }
}

void AlignmentModel::begin(std::int64_t source_ids, std::int64_t target_ids) {
  table_.finish();
  const std::array<std::int64_t, 2> ids{source_ids, target_ids};
  for (std::size_t d = 0; d < directions_.size(); ++d) {
    auto& direction = directions_[d];
    const auto given = static_cast<std::size_t>(ids[d]), emitted = static_cast<std::size_t>(ids[1 - d]);
    direction.lambda = settings_.lambda.value_or(direction.lambda);
    direction.null.assign(emitted, 1 / static_cast<double>(emitted));
    direction.null_counts.resize(emitted);
    direction.totals.resize(given);
    direction.partners.resize(given);
  }
  for (auto& pair : table_.slots()) {
    if (pair.key == 0) continue;
    pair.probability = {as_float(directions_[0].null.front()), as_float(directions_[1].null.front())};
    ++directions_[0].partners[static_cast<std::size_t>(pair.source())];
    ++directions_[1].partners[static_cast<std::size_t>(pair.target())];
  }
}

/// Calls `take(direction, e, sum)` for each emitted word e, with the scores of its links in `work` and their sum.
void AlignmentModel::score(const IdPair& line, Workspace& work, const auto& take) {
  const auto targets = line.target.size();
  work.pairs.resize(line.source.size() * targets);
  for (std::size_t s = 0; s < line.source.size(); ++s)
    table_.find(line.source[s], line.target, work.pairs.data() + s * targets);
  for (std::size_t d = 0; d < directions_.size(); ++d) {
    const auto [given, emitted] = sides_of(line, d);
    work.prior.prepare(directions_[d].lambda, given.size(), emitted.size());
    work.scores.resize(given.size() + 1);
    double* const scores = work.scores.data();
    for (std::size_t e = 0; e < emitted.size(); ++e) {
      scores[0] = settings_.null_probability * directions_[d].null[static_cast<std::size_t>(emitted[e])];
      work.prior.write(e, 1 - settings_.null_probability, scores + 1);
      double sum = scores[0];
      const auto* pair = work.pairs.data() + (d == 0 ? e : e * targets);
      for (std::size_t g = 1; g <= given.size(); ++g, pair += d == 0 ? targets : 1) {
        scores[g] *= static_cast<double>((*pair)->probability[d]);
        sum += scores[g];
      }
      take(d, e, sum);
    }
  }
}

void AlignmentModel::expect(std::span<const IdPair> lines) {
  struct Sums {
    std::array<double, 2> log_likelihood = {}, distance = {};
  };
  std::vector<Sums> sums(lines.size());
  parallel_for(std::ssize(lines), settings_.threads, [&](std::int64_t begin, std::int64_t end) {
    Workspace work;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const auto& line = lines[i];
      if (is_empty(line)) continue;
      score(line, work, [&](std::size_t d, std::size_t e, double sum) {
        auto& direction = directions_[d];
        const auto [given, emitted] = sides_of(line, d);
        const double* const scores = work.scores.data();
        if (e == 0) work.totals.assign(given.size(), 0);
        sums[i].log_likelihood[d] += std::log(sum);
        const double scale = kCountUnit / sum;
        add_count(direction.null_counts[static_cast<std::size_t>(emitted[e])],
                  static_cast<std::uint64_t>(scores[0] * scale + 0.5));
        // As in fast_align, distances end before the emitted word. With e + 1 lambda grows beyond what is best.
        const double place = static_cast<double>(e) / static_cast<double>(emitted.size());
        const double step = 1 / static_cast<double>(given.size());
        double distance = 0;
        for (std::size_t g = 0; g < given.size(); ++g) {
          distance += scores[g + 1] * std::abs(static_cast<double>(g + 1) * step - place);
          const auto count = static_cast<std::uint64_t>(scores[g + 1] * scale + 0.5);
          work.totals[g] += count;
          add_count(work.pairs[d == 0 ? g * emitted.size() + e : e * given.size() + g]->count[d], count);
        }
        sums[i].distance[d] += distance / sum;
        if (e + 1 == emitted.size())
          for (std::size_t g = 0; g < given.size(); ++g)
            add_count(direction.totals[static_cast<std::size_t>(given[g])], work.totals[g]);
      });
    }
  });
  for (const auto& of_line : sums)
    for (std::size_t d = 0; d < directions_.size(); ++d) {
      directions_[d].log_likelihood += of_line.log_likelihood[d];
      directions_[d].distance += of_line.distance[d];
    }
}

void AlignmentModel::update_null(std::size_t direction) {
  auto& [lambda, sizes, null, counts, totals, partners, log_likelihood, distance, words] = directions_[direction];
  const auto& emitted = directions_[1 - direction].partners;
  const auto distinct = std::ssize(emitted) - std::ranges::count(emitted, 0);
  const Translations translations(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), distinct,
                                  settings_.alpha);
  for (std::size_t id = 0; id < null.size(); ++id) null[id] = translations.probability(counts[id]);
  std::ranges::fill(counts, 0);
}

std::array<DirectionFit, 2> AlignmentModel::maximize() {
  std::array<DirectionFit, 2> fits;
  std::array<std::vector<Translations>, 2> translations;
  for (std::size_t d = 0; d < directions_.size(); ++d) {
    auto& direction = directions_[d];
    fits[d] = {direction.log_likelihood, direction.words, direction.lambda};
    for (std::size_t id = 0; id < direction.totals.size(); ++id)
      translations[d].emplace_back(direction.totals[id], direction.partners[id], settings_.alpha);
    update_null(d);
    if (!settings_.lambda && updates_ > 0)
      direction.lambda =
          optimized_lambda(direction.lambda, direction.distance / direction.words, direction.sizes, direction.words);
    std::ranges::fill(direction.totals, 0);
    direction.log_likelihood = direction.distance = 0;
  }
  ++updates_;
  const auto slots = table_.slots();
  parallel_for(std::ssize(slots), settings_.threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto& pair : slots.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin))) {
      if (pair.key == 0) continue;
      const std::array<Id, 2> given{pair.source(), pair.target()};
      for (std::size_t d = 0; d < given.size(); ++d)
        pair.probability[d] = as_float(translations[d][static_cast<std::size_t>(given[d])].probability(pair.count[d]));
      pair.count = {};
    }
  });
  return fits;
}

std::vector<DirectedLinks> AlignmentModel::align(std::span<const IdPair> lines) {
  std::vector<DirectedLinks> links(lines.size());
  parallel_for(std::ssize(lines), settings_.threads, [&](std::int64_t begin, std::int64_t end) {
    Workspace work;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (is_empty(lines[i])) continue;
      links[i] = {Ids(lines[i].target.size()), Ids(lines[i].source.size())};
      score(lines[i], work, [&](std::size_t d, std::size_t e, double) {
        const auto best = std::ranges::max_element(work.scores) - work.scores.begin();
        (d == 0 ? links[i].source_of_target : links[i].target_of_source)[e] = static_cast<Id>(best) - 1;
      });
    }
  });
  return links;
}

}  // namespace gloss
