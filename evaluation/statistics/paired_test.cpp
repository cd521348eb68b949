#include "evaluation/statistics/paired_test.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/error.h"
#include "common/system/parallel_for.h"
#include "common/text/format.h"
#include "evaluation/statistics/numpy.h"
#include "evaluation/statistics/numpy_metric.h"

namespace gloss {
namespace {

/// Random bits, equal to Generator.integers(2, dtype=bool): 32 of each number, lowest first.
class RandomBits {
 public:
  RandomBits(const Pcg64& generator, std::uint64_t skipped) : generator_(generator), left_(32 - skipped % 32) {
    generator_.skip32(skipped / 32);
    bits_ = generator_.next32() >> (skipped % 32);
  }

  std::size_t next() {
    if (left_ == 0) {
      bits_ = generator_.next32();
      left_ = 32;
    }
    const std::size_t bit = bits_ & 1;
    bits_ >>= 1;
    --left_;
    return bit;
  }

 private:
  Pcg64 generator_;
  std::uint64_t left_;
  std::uint32_t bits_;
};

void add_to(std::vector<double>& sums, std::span<const double> row) {
  for (std::size_t j = 0; j < row.size(); ++j) sums[j] += row[j];
}

double score_of(const Metric& metric, const SegmentStatistics& statistics) {
  return metric.score(sum_of_rows(statistics)).score;
}

void expect_systems(std::span<const SegmentStatistics> systems, const ResamplingOptions& options) {
  if (systems.size() < 2)
    throw UsageError("paired test: wanted at least 2 systems, got " + std::to_string(systems.size()));
  if (options.samples < 1)
    throw UsageError("paired test: wanted at least 1 sample, got " + std::to_string(options.samples));
  for (const auto& system : systems)
    expect_equal_lines("paired test: a system", system.lines(), "the baseline", systems.front().lines());
}

double p_value(std::int64_t above, std::int64_t samples) {
  return static_cast<double>(above + 1) / static_cast<double>(samples + 1);
}

/// Returns the number of resamples whose difference exceeds their mean by more than `real`, in NumPy's arithmetic with
/// `Number`.
template <typename Number>
std::int64_t count_above(const ScoreArray& a, const ScoreArray& b, double real) {
  std::vector<Number> differences;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    differences.push_back(std::abs(static_cast<Number>(a.values[i]) - static_cast<Number>(b.values[i])));
  const Number mean = numpy_mean<Number>(differences);
  const auto limit = static_cast<Number>(real);
  return std::count_if(differences.begin(), differences.end(), [&](Number d) { return d - mean > limit; });
}

/// The assignment of lines to the two halves of a trial: a line of the baseline is in the first half if its bit is set.
class Trial {
 public:
  Trial(const Metric& metric, std::span<const SegmentStatistics> systems)
      : metric_(metric), systems_(systems), sums_(systems.size()) {}

  void draw(RandomBits& bits) {
    for (auto& halves : sums_)
      for (auto& sums : halves) sums.assign(static_cast<std::size_t>(systems_.front().width), 0);
    for (std::int64_t line = 0; line < systems_.front().lines(); ++line) {
      const auto bit = bits.next();
      for (std::size_t s = 0; s < systems_.size(); ++s) add_to(sums_[s][bit], systems_[s].row(line));
    }
  }
  /// Returns the difference between the two halves.
  double difference(std::size_t system) {
    auto first = sums_.front()[1], second = sums_.front()[0];
    add_to(first, sums_[system][0]);
    add_to(second, sums_[system][1]);
    return std::abs(trial_score(metric_, first) - trial_score(metric_, second));
  }

 private:
  const Metric& metric_;
  std::span<const SegmentStatistics> systems_;
  std::vector<std::array<std::vector<double>, 2>> sums_;  // by system and bit
};

/// Returns the rows by system, without p-values.
std::vector<PairedResult> scores_of(const Metric& metric, std::span<const SegmentStatistics> systems) {
  std::vector<PairedResult> results;
  for (const auto& system : systems) results.push_back({score_of(metric, system), {}, {}});
  return results;
}

std::vector<const SegmentStatistics*> pointers_to(std::span<const SegmentStatistics> systems) {
  std::vector<const SegmentStatistics*> pointers;
  for (const auto& system : systems) pointers.push_back(&system);
  return pointers;
}

}  // namespace

std::vector<PairedResult> paired_bootstrap(const Metric& metric, std::span<const SegmentStatistics> systems,
                                           const ResamplingOptions& options) {
  expect_systems(systems, options);
  const auto scores = bootstrap_scores(metric, pointers_to(systems), Pcg64(options.seed.words), options);
  auto results = scores_of(metric, systems);
  for (std::size_t s = 0; s < systems.size(); ++s) {
    results[s].interval = numpy_interval(scores[s]);
    if (s == 0) continue;
    const double real = std::abs(results[0].score - results[s].score);
    const bool is_float32 = scores[0].is_float32 && scores[s].is_float32;
    const auto above =
        is_float32 ? count_above<float>(scores[s], scores[0], real) : count_above<double>(scores[s], scores[0], real);
    results[s].p_value = p_value(above, options.samples);
  }
  return results;
}

std::vector<PairedResult> paired_randomization(const Metric& metric, std::span<const SegmentStatistics> systems,
                                               const ResamplingOptions& options, std::int64_t interval_samples) {
  expect_systems(systems, options);
  auto results = scores_of(metric, systems);
  Pcg64 generator(options.seed.words);
  const auto lines = static_cast<std::uint64_t>(systems.front().lines());
  std::vector<std::atomic<std::int64_t>> above(systems.size());
  parallel_for(options.samples, options.threads, [&](std::int64_t begin, std::int64_t end) {
    Trial trial(metric, systems);
    RandomBits bits(generator, static_cast<std::uint64_t>(begin) * lines);
    for (std::int64_t i = begin; i < end; ++i) {
      trial.draw(bits);
      for (std::size_t s = 1; s < systems.size(); ++s)
        above[s] += trial.difference(s) > std::abs(results[0].score - results[s].score);
    }
  });
  for (std::size_t s = 1; s < systems.size(); ++s) results[s].p_value = p_value(above[s], options.samples);
  if (interval_samples < 1) return results;

  auto resampling = options;
  resampling.samples = interval_samples;
  const auto interval = [&](const SegmentStatistics& system) {
    return numpy_interval(bootstrap_scores(metric, std::array{&system}, generator, resampling).front());
  };
  // The baseline's lines are drawn first, those of the others after the trials.
  results.front().interval = interval(systems.front());
  generator.skip32((static_cast<std::uint64_t>(options.samples) * lines + 31) / 32);
  for (std::size_t s = 1; s < systems.size(); ++s) results[s].interval = interval(systems[s]);
  return results;
}

}  // namespace gloss
