#include "evaluation/scoring/line_differences.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace gloss {
namespace {

double size_of(const LineDifference& difference) { return std::abs(difference.second - difference.first); }

}  // namespace

std::vector<LineDifference> largest_differences(const Metric& metric, const SegmentStatistics& first,
                                                const SegmentStatistics& second, std::int64_t max_lines) {
  std::vector<LineDifference> differences;
  for (std::int64_t line = 0; line < first.lines(); ++line) {
    const LineDifference difference{line + 1, metric.value(first.row(line)), metric.value(second.row(line))};
    if (difference.first != difference.second) differences.push_back(difference);
  }
  std::ranges::stable_sort(differences, std::ranges::greater(), size_of);
  differences.resize(static_cast<std::size_t>(std::min(max_lines, std::ssize(differences))));
  return differences;
}

}  // namespace gloss
