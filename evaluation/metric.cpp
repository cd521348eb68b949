#include "evaluation/metric.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "common/error.h"
#include "common/text/format.h"

namespace gloss {
namespace {

constexpr const char* kReproducedVersion = "2.6.0";

}  // namespace

References References::single(std::span<const std::string> lines) {
  References references;
  references.of_line.reserve(lines.size());
  for (const auto& line : lines) references.of_line.push_back({line});
  return references;
}

References References::in_streams(std::span<const std::vector<std::string>> streams) {
  if (streams.empty()) return {};
  auto references = single(streams.front());
  for (const auto& stream : streams.subspan(1)) {
    expect_equal_lines("a stream of references", std::ssize(stream), "the first one", references.lines());
    for (std::size_t line = 0; line < stream.size(); ++line) references.of_line[line].push_back(stream[line]);
  }
  return references;
}

std::string References::count() const {
  const auto differ = std::ranges::adjacent_find(of_line, std::ranges::not_equal_to(), &std::vector<std::string>::size);
  return of_line.empty() || differ != of_line.end() ? "var" : std::to_string(of_line.front().size());
}

void expect_scorable(const std::string& metric, std::span<const std::string> hypotheses, const References& references) {
  expect_equal_lines(metric + ": the hypothesis", std::ssize(hypotheses), "the reference", references.lines());
  if (hypotheses.empty()) throw DataError(metric + ": wanted at least one line, got none");
  const auto none = std::ranges::find_if(references.of_line, &std::vector<std::string>::empty);
  if (none != references.of_line.end())
    throw DataError(metric + ": line " + std::to_string(std::distance(references.of_line.begin(), none) + 1) +
                    ": wanted a reference, got none");
}

std::vector<double> sum_of_rows(const SegmentStatistics& statistics) {
  std::vector<double> sums(static_cast<std::size_t>(statistics.width));
  for (std::size_t i = 0; i < statistics.values.size(); ++i) sums[i % sums.size()] += statistics.values[i];
  return sums;
}

std::string signature(const Metric& metric, const SignatureContext& context, bool short_names) {
  std::vector<SignatureEntry> entries{{"nrefs", "#", context.references}};
  if (context.bootstrap) entries.push_back({"bs", "bs", std::to_string(*context.bootstrap)});
  if (context.randomization) entries.push_back({"ar", "ar", std::to_string(*context.randomization)});
  if (context.seed) entries.push_back({"seed", "rs", *context.seed});
  for (auto& entry : metric.settings()) entries.push_back(std::move(entry));
  entries.push_back({"version", "v", kReproducedVersion});
  std::string text;
  for (const auto& entry : entries) {
    if (!text.empty()) text += '|';
    text.append(short_names ? entry.short_name : entry.name).append(":").append(entry.value);
  }
  return text;
}

}  // namespace gloss
