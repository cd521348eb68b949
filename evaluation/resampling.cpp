#include "evaluation/resampling.h"

#include <algorithm>
#include <cstddef>
#include <string>

#include "common/error.h"
#include "evaluation/means.h"
#include "evaluation/parallel_for.h"

namespace gloss {
namespace {

/// Statistics in float32, rows padded with zeros so that whole vectors are added.
class Float32Rows {
 public:
  explicit Float32Rows(const SegmentStatistics& statistics)
      : stride_((static_cast<std::size_t>(statistics.width) + kLanes - 1) / kLanes * kLanes),
        values_(static_cast<std::size_t>(statistics.lines()) * stride_) {
    for (std::int64_t line = 0; line < statistics.lines(); ++line) {
      const auto row = statistics.row(line);
      std::transform(row.begin(), row.end(), values_.begin() + line * static_cast<std::ptrdiff_t>(stride_),
                     [](double value) { return static_cast<float>(value); });
    }
  }

  std::size_t stride() const { return stride_; }
  void add_row(std::uint32_t line, std::span<float> sums) const {
    const float* row = values_.data() + line * stride_;
    float* sum = sums.data();
    for (std::size_t j = 0; j < stride_; j += kLanes)
      for (std::size_t k = j; k < j + kLanes; ++k) sum[k] += row[k];
  }

 private:
  static constexpr std::size_t kLanes = 4;

  std::size_t stride_;
  std::vector<float> values_;
};

/// Where each of the parts that `threads` may begin with draws its first line. One thread begins with the first.
std::vector<Pcg64> starts_of_samples(Pcg64 generator, std::uint32_t lines, const ResamplingOptions& options) {
  if (options.threads <= 1) return {generator};
  std::vector<Pcg64> starts;
  for (std::int64_t sample = 0; sample < options.samples; ++sample) {
    starts.push_back(generator);
    for (std::uint32_t i = 0; i < lines; ++i) generator.below(lines);
  }
  return starts;
}

template <typename Number>
ConfidenceInterval interval_of(std::span<const double> values) {
  std::vector<Number> sorted;
  for (const double value : values) sorted.push_back(static_cast<Number>(value));
  std::sort(sorted.begin(), sorted.end());
  const std::size_t cut = sorted.size() / 40;
  const Number width = sorted[sorted.size() - cut - 1] - sorted[cut];
  return {numpy_mean<Number>(sorted), static_cast<Number>(0.5) * width};
}

}  // namespace

std::vector<ScoreArray> bootstrap_scores(const Metric& metric, std::span<const SegmentStatistics* const> systems,
                                         const Pcg64& generator, const ResamplingOptions& options) {
  if (options.samples < 1)
    throw UsageError("resampling: wanted at least 1 sample, got " + std::to_string(options.samples));
  const auto lines = static_cast<std::uint32_t>(systems.front()->lines());
  const auto width = static_cast<std::size_t>(systems.front()->width);
  std::vector<Float32Rows> rows;
  for (const auto* system : systems) {
    if (system->lines() != systems.front()->lines())
      throw DataError("resampling: wanted systems with as many lines, got " + std::to_string(lines) + " and " +
                      std::to_string(system->lines()));
    rows.emplace_back(*system);
  }

  const auto samples = static_cast<std::size_t>(options.samples);
  std::vector<ScoreArray> scores(systems.size(), {std::vector<double>(samples), false});
  std::vector<std::vector<char>> are_float32(systems.size(), std::vector<char>(samples));
  const auto starts = starts_of_samples(generator, lines, options);
  parallel_for(options.samples, options.threads, [&](std::int64_t begin, std::int64_t end) {
    Pcg64 draws = starts[static_cast<std::size_t>(begin)];
    std::vector<std::vector<float>> sums(systems.size());
    for (auto sample = static_cast<std::size_t>(begin); sample < static_cast<std::size_t>(end); ++sample) {
      for (std::size_t s = 0; s < rows.size(); ++s) sums[s].assign(rows[s].stride(), 0);
      for (std::uint32_t i = 0; i < lines; ++i) {
        const auto line = draws.below(lines);
        for (std::size_t s = 0; s < rows.size(); ++s) rows[s].add_row(line, sums[s]);
      }
      for (std::size_t s = 0; s < rows.size(); ++s) {
        const std::span<const float> sum = std::span(sums[s]).first(width);
        scores[s].values[sample] = metric.value(sum);
        are_float32[s][sample] = metric.is_float32(sum);
      }
    }
  });
  for (std::size_t s = 0; s < scores.size(); ++s)
    scores[s].is_float32 = std::all_of(are_float32[s].begin(), are_float32[s].end(), [](char is) { return is != 0; });
  return scores;
}

ConfidenceInterval numpy_interval(const ScoreArray& scores) {
  return scores.is_float32 ? interval_of<float>(scores.values) : interval_of<double>(scores.values);
}

ConfidenceInterval bootstrap_interval(const Metric& metric, const SegmentStatistics& statistics,
                                      const ResamplingOptions& options) {
  const auto scores = bootstrap_scores(metric, std::vector{&statistics}, Pcg64(options.seed.words), options).front();
  auto interval = numpy_interval(scores);
  interval.mean = exact_mean(scores.values);
  if (scores.is_float32) interval.mean = static_cast<float>(interval.mean);
  return interval;
}

}  // namespace gloss
