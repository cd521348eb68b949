#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "common/system/parallel_for.h"
#include "evaluation/metric.h"

namespace gloss {

/// Computes the statistics of each line by a metric, rows of `width` numbers, on up to `threads` threads. Each range of
/// lines has a `Counter` of its own, made of `options`, whose compute(hypothesis, references, row) fills the row of a
/// line. Throws as expect_scorable.
template <typename Counter, typename Options>
SegmentStatistics statistics_of_lines(const Metric& metric, std::span<const std::string> hypotheses,
                                      const References& references, std::int64_t width, int threads,
                                      const Options& options) {
  expect_scorable(metric.name(), hypotheses, references);
  const auto columns = static_cast<std::size_t>(width);
  SegmentStatistics statistics{width, std::vector<double>(hypotheses.size() * columns)};
  parallel_for(std::ssize(hypotheses), threads, [&](std::int64_t begin, std::int64_t end) {
    Counter counter(options);
    for (auto line = static_cast<std::size_t>(begin); line < static_cast<std::size_t>(end); ++line)
      counter.compute(hypotheses[line], references.of_line[line],
                      std::span(statistics.values).subspan(line * columns, columns));
  });
  return statistics;
}

}  // namespace gloss
