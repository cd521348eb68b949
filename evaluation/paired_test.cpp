#include "evaluation/paired_test.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "common/error.h"
#include "evaluation/means.h"
#include "evaluation/numpy_random.h"
#include "evaluation/parallel_for.h"

namespace gloss {
namespace {

/// Bits as Generator.integers(2, dtype=bool) draws them: 32 of each number, the lowest first.
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
  return metric.value(std::span<const double>(sum_of_rows(statistics)));
}

void expect_same_lines(const SegmentStatistics& baseline, const SegmentStatistics& system) {
  if (baseline.lines() != system.lines())
    throw DataError("paired test: wanted as many lines of the system as of the baseline, got " +
                    std::to_string(system.lines()) + " and " + std::to_string(baseline.lines()));
}

double p_value(std::int64_t above, std::int64_t samples) {
  return static_cast<double>(above + 1) / static_cast<double>(samples + 1);
}

/// How many resamples have a difference that is by more than `real` above their mean, as NumPy computes it in `Number`.
template <typename Number>
std::int64_t count_above(const ScoreArray& a, const ScoreArray& b, double real) {
  std::vector<Number> differences;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    differences.push_back(std::abs(static_cast<Number>(a.values[i]) - static_cast<Number>(b.values[i])));
  const Number mean = numpy_mean<Number>(differences);
  const auto limit = static_cast<Number>(real);
  return std::count_if(differences.begin(), differences.end(), [&](Number d) { return d - mean > limit; });
}

/// The difference of the two halves in one trial. A line whose bit is set is the baseline's in the first half.
class Trial {
 public:
  Trial(const Metric& metric, const SegmentStatistics& baseline, const SegmentStatistics& system)
      : metric_(metric), baseline_(baseline), system_(system) {}

  double difference(RandomBits& bits) {
    const auto width = static_cast<std::size_t>(baseline_.width);
    for (auto* sums : {&baseline_sums_, &system_sums_})
      for (auto& sum : *sums) sum.assign(width, 0);
    for (std::int64_t line = 0; line < baseline_.lines(); ++line) {
      const auto bit = bits.next();
      add_to(baseline_sums_[bit], baseline_.row(line));
      add_to(system_sums_[bit], system_.row(line));
    }
    add_to(baseline_sums_[1], system_sums_[0]);
    add_to(baseline_sums_[0], system_sums_[1]);
    return std::abs(metric_.trial_value(baseline_sums_[1]) - metric_.trial_value(baseline_sums_[0]));
  }

 private:
  const Metric& metric_;
  const SegmentStatistics &baseline_, &system_;
  std::array<std::vector<double>, 2> baseline_sums_, system_sums_;  // by bit
};

}  // namespace

PairedResult baseline_result(const Metric& metric, const SegmentStatistics& baseline,
                             const ResamplingOptions& options) {
  PairedResult result{.score = score_of(metric, baseline), .p_value = {}, .interval = {}};
  if (options.samples > 0)
    result.interval =
        numpy_interval(bootstrap_scores(metric, std::array{&baseline}, Pcg64(options.seed.words), options).front());
  return result;
}

PairedResult paired_bootstrap(const Metric& metric, const SegmentStatistics& baseline, const SegmentStatistics& system,
                              const ResamplingOptions& options) {
  expect_same_lines(baseline, system);
  const auto scores = bootstrap_scores(metric, std::array{&baseline, &system}, Pcg64(options.seed.words), options);
  const double score = score_of(metric, system), real = std::abs(score_of(metric, baseline) - score);
  const bool is_float32 = scores[0].is_float32 && scores[1].is_float32;
  const auto above =
      is_float32 ? count_above<float>(scores[1], scores[0], real) : count_above<double>(scores[1], scores[0], real);
  return {.score = score, .p_value = p_value(above, options.samples), .interval = numpy_interval(scores[1])};
}

PairedResult paired_randomization(const Metric& metric, const SegmentStatistics& baseline,
                                  const SegmentStatistics& system, const ResamplingOptions& options,
                                  std::int64_t interval_samples) {
  expect_same_lines(baseline, system);
  if (options.samples < 1)
    throw UsageError("paired randomisation: wanted at least 1 trial, got " + std::to_string(options.samples));
  const double score = score_of(metric, system), real = std::abs(score_of(metric, baseline) - score);
  Pcg64 generator(options.seed.words);
  const auto lines = static_cast<std::uint64_t>(system.lines());
  std::vector<char> is_above(static_cast<std::size_t>(options.samples));
  parallel_for(options.samples, options.threads, [&](std::int64_t begin, std::int64_t end) {
    Trial trial(metric, baseline, system);
    RandomBits bits(generator, static_cast<std::uint64_t>(begin) * lines);
    for (std::int64_t i = begin; i < end; ++i) is_above[static_cast<std::size_t>(i)] = trial.difference(bits) > real;
  });
  PairedResult result{.score = score,
                      .p_value = p_value(std::count(is_above.begin(), is_above.end(), 1), options.samples),
                      .interval = {}};
  if (interval_samples > 0) {
    generator.skip32((static_cast<std::uint64_t>(options.samples) * lines + 31) / 32);
    auto resampling = options;
    resampling.samples = interval_samples;
    result.interval = numpy_interval(bootstrap_scores(metric, std::array{&system}, generator, resampling).front());
  }
  return result;
}

}  // namespace gloss
