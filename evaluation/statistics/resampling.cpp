#include "evaluation/statistics/resampling.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "common/error.h"
#include "common/system/parallel_for.h"
#include "common/text/format.h"
#include "evaluation/statistics/numpy.h"
#include "evaluation/statistics/numpy_metric.h"

namespace gloss {
namespace {

constexpr std::uint32_t kDrawnAtOnce = 256;  // number of lines whose rows stay in the cache

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
  /// Adds the rows of these lines in order, for some columns at a time, whose sums stay in registers.
  void add_rows(std::span<const std::uint32_t> lines, std::span<float> sums) const {
    for (std::size_t column = 0; column < stride_; column += kLanes) {
      std::array<float, kLanes> sum{};
      std::copy_n(sums.data() + column, kLanes, sum.data());
      for (const auto line : lines) {
        const float* row = values_.data() + line * stride_ + column;
        for (std::size_t i = 0; i < kLanes; ++i) sum[i] += row[i];
      }
      std::copy_n(sum.data(), kLanes, sums.data() + column);
    }
  }

 private:
  static constexpr std::size_t kLanes = 4;

  std::size_t stride_;
  std::vector<float> values_;
};

/// A range of resamples that one thread draws. There are few ranges per thread, because the state at each beginning is
/// stored.
struct Piece {
  std::int64_t begin, end;
  Pcg64 draws;
};

std::vector<Piece> pieces_of_samples(Pcg64 generator, std::uint32_t lines, const ResamplingOptions& options) {
  constexpr std::int64_t kPiecesOfAThread = 8;
  if (options.threads <= 1) return {{0, options.samples, generator}};
  const auto range_size = std::max<std::int64_t>(1, options.samples / (kPiecesOfAThread * options.threads));
  std::vector<Piece> pieces;
  for (std::int64_t begin = 0; begin < options.samples; begin += range_size) {
    pieces.push_back({begin, std::min(begin + range_size, options.samples), generator});
    // A draw uses a random number of values, so the state is advanced by drawing.
    const bool last = pieces.back().end == options.samples;
    for (auto left = last ? 0 : static_cast<std::int64_t>(lines) * range_size; left > 0; --left) generator.below(lines);
  }
  return pieces;
}

std::uint32_t drawable(std::int64_t lines) {
  if (lines < 1 || lines > std::numeric_limits<std::uint32_t>::max())
    throw DataError("resampling: wanted 1 to " + std::to_string(std::numeric_limits<std::uint32_t>::max()) +
                    " lines, got " + std::to_string(lines));
  return static_cast<std::uint32_t>(lines);
}

/// Computes the sums of each system's rows in one resample.
void sum_resample(std::span<const Float32Rows> systems, std::uint32_t lines, Pcg64& draws,
                  std::vector<std::vector<float>>& sums) {
  for (std::size_t s = 0; s < systems.size(); ++s) sums[s].assign(systems[s].stride(), 0);
  std::array<std::uint32_t, kDrawnAtOnce> drawn{};
  for (std::uint32_t done = 0; done < lines; done += kDrawnAtOnce) {
    const auto part = std::span(drawn).first(std::min(lines - done, kDrawnAtOnce));
    for (auto& line : part) line = draws.below(lines);
    for (std::size_t s = 0; s < systems.size(); ++s) systems[s].add_rows(part, sums[s]);
  }
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
  const auto lines = drawable(systems.front()->lines());
  const auto width = static_cast<std::size_t>(systems.front()->width);
  std::vector<Float32Rows> rows;
  for (const auto* system : systems) {
    expect_equal_lines("resampling: a system", system->lines(), "the first one", systems.front()->lines());
    rows.emplace_back(*system);
  }

  const auto samples = static_cast<std::size_t>(options.samples);
  std::vector<ScoreArray> scores(systems.size(), {std::vector<double>(samples), false});
  std::vector<std::vector<char>> are_float32(systems.size(), std::vector<char>(samples));
  const auto resample = [&](Piece piece) {
    std::vector<std::vector<float>> sums(systems.size());
    for (auto sample = static_cast<std::size_t>(piece.begin); sample < static_cast<std::size_t>(piece.end); ++sample) {
      sum_resample(rows, lines, piece.draws, sums);
      for (std::size_t s = 0; s < rows.size(); ++s) {
        const auto score = resample_score(metric, std::span(sums[s]).first(width));
        scores[s].values[sample] = score.value;
        are_float32[s][sample] = score.is_float32;
      }
    }
  };
  const auto pieces = pieces_of_samples(generator, lines, options);
  parallel_for(std::ssize(pieces), options.threads, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = begin; i < end; ++i) resample(pieces[static_cast<std::size_t>(i)]);
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
