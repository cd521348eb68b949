#include "evaluation/metric.h"

#include <set>

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
