#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "evaluation/metric.h"

namespace gloss {

/// Calls `body(begin, end)` for ranges that partition 0 to `count`, on up to `threads` threads, or fewer if the system
/// has no more. The assignment of ranges to threads is arbitrary, so a call may depend on its range only. An exception
/// of a call is rethrown after all threads have ended; of several, one.
void parallel_for(std::int64_t count, int threads,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

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
