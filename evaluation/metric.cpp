#include "evaluation/metric.h"

#include <algorithm>
#include <set>

#include "common/error.h"

namespace gloss {
namespace {

constexpr const char* kReproducedVersion = "2.6.0";

}  // namespace

std::string References::count() const {
  std::set<std::int64_t> counts;
  for (std::size_t line = 0; line < static_cast<std::size_t>(lines()); ++line) {
    std::int64_t count = 0;
    for (const auto& stream : streams) count += stream[line].has_value();
    counts.insert(count);
  }
  return counts.size() == 1 ? std::to_string(*counts.begin()) : "var";
}

void expect_aligned(const std::string& metric, std::span<const std::string> hypotheses, const References& references) {
  const auto& streams = references.streams;
  for (const auto& stream : streams) {
    if (stream.size() == hypotheses.size()) continue;
    throw DataError(metric + ": wanted as many hypotheses as references, got " + std::to_string(hypotheses.size()) +
                    " hypotheses and " + std::to_string(stream.size()) + " references");
  }
  if (hypotheses.empty()) throw DataError(metric + ": wanted at least one line, got none");
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    if (std::ranges::any_of(streams, [line](const auto& stream) { return stream[line].has_value(); })) continue;
    throw DataError(metric + ": line " + std::to_string(line + 1) + ": wanted a reference, got none");
  }
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
