#include "evaluation/scoring/line_parts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "evaluation/tokenize/strip.h"

namespace gloss {
namespace {

std::int64_t count_words(const std::string& line) {
  const auto words = single_spaced(line);
  return words.empty() ? 0 : std::ranges::count(words, ' ') + 1;
}

std::string range_name(std::size_t range, std::span<const std::int64_t> bounds) {
  const auto first = range == 0 ? 0 : bounds[range - 1] + 1;
  return std::to_string(first) + "-" + (range < bounds.size() ? std::to_string(bounds[range]) : "");
}

double size_of(const LineDifference& difference) { return std::abs(difference.second - difference.first); }

}  // namespace

std::vector<std::int64_t> LineParts::line_counts() const {
  std::vector<std::int64_t> counts(names.size());
  for (const auto part : of_line) ++counts[part];
  return counts;
}

LineParts parts_by_name(std::span<const std::string> groups) {
  std::map<std::string, std::size_t> index;
  for (const auto& group : groups) index.emplace(group, 0);
  LineParts parts;
  for (auto& [name, part] : index) {
    part = parts.names.size();
    parts.names.push_back(name);
  }
  for (const auto& group : groups) parts.of_line.push_back(index.at(group));
  return parts;
}

LineParts parts_by_length(std::span<const std::string> sources, std::span<const std::int64_t> bounds) {
  std::vector<std::size_t> ranges;
  for (const auto& source : sources)
    ranges.push_back(static_cast<std::size_t>(std::ranges::lower_bound(bounds, count_words(source)) - bounds.begin()));
  std::map<std::size_t, std::size_t> index;
  for (const auto range : ranges) index.emplace(range, 0);
  LineParts parts;
  for (auto& [range, part] : index) {
    part = parts.names.size();
    parts.names.push_back(range_name(range, bounds));
  }
  for (const auto range : ranges) parts.of_line.push_back(index.at(range));
  return parts;
}

std::vector<MetricScore> scores_by_part(const Metric& metric, const SegmentStatistics& statistics,
                                        const LineParts& parts) {
  std::vector<std::vector<double>> sums(parts.names.size(),
                                        std::vector<double>(static_cast<std::size_t>(statistics.width)));
  for (std::size_t line = 0; line < parts.of_line.size(); ++line) {
    const auto row = statistics.row(static_cast<std::int64_t>(line));
    auto& sum = sums[parts.of_line[line]];
    for (std::size_t i = 0; i < row.size(); ++i) sum[i] += row[i];
  }
  std::vector<MetricScore> scores;
  for (const auto& sum : sums) scores.push_back(metric.score(sum));
  return scores;
}

std::vector<LineDifference> largest_differences(const Metric& metric, const SegmentStatistics& first,
                                                const SegmentStatistics& second, std::int64_t max_lines) {
  std::vector<LineDifference> differences;
  for (std::int64_t line = 0; line < first.lines(); ++line) {
    const LineDifference difference{line + 1, metric.score(first.row(line)).score,
                                    metric.score(second.row(line)).score};
    if (difference.first != difference.second) differences.push_back(difference);
  }
  std::ranges::stable_sort(differences, std::ranges::greater(), size_of);
  differences.resize(static_cast<std::size_t>(std::min(max_lines, std::ssize(differences))));
  return differences;
}

}  // namespace gloss
