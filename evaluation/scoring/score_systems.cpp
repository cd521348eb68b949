#include "evaluation/scoring/score_systems.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "common/error.h"
#include "common/text/format.h"
#include "evaluation/statistics/paired_test.h"
#include "evaluation/statistics/resampling.h"
#include "evaluation/tokenize/characters.h"

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

/// Groups lines by their keys. The groups are sorted by key; `name_of` returns the name of one.
template <typename Key, typename NameOf>
LineParts parts_of(std::span<const Key> keys, NameOf name_of) {
  std::map<Key, std::size_t> index;
  for (const auto& key : keys) index.emplace(key, 0);
  LineParts parts;
  for (auto& [key, part] : index) {
    part = parts.names.size();
    parts.names.push_back(name_of(key));
  }
  for (const auto& key : keys) parts.of_line.push_back(index.at(key));
  return parts;
}

double size_of(const LineDifference& difference) { return std::abs(difference.second - difference.first); }

SignatureContext signature_context(const References& references, const ScoringOptions& options) {
  SignatureContext context{.references = references.count()};
  if (options.paired) {
    (options.paired == PairedTest::kBootstrap ? context.bootstrap : context.randomization) = options.trials;
    context.seed = options.seed.number;
  } else if (options.resamples > 1) {
    context.bootstrap = options.resamples;
    context.seed = options.seed.text;
  }
  return context;
}

void add_interval(MetricResult& result, const ConfidenceInterval& interval) {
  result.mean = interval.mean;
  result.half_width = interval.half_width;
}

/// Returns the statistics by system.
std::vector<MetricResult> results_of(const Metric& metric, const std::vector<SegmentStatistics>& statistics,
                                     const ScoringOptions& options) {
  std::vector<MetricResult> results(statistics.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].score = metric.score(sum_of_rows(statistics[i]));
    if (!options.paired && options.resamples > 1)
      add_interval(results[i],
                   bootstrap_interval(metric, statistics[i], {options.resamples, options.seed, options.threads}));
  }
  if (!options.paired) return results;
  const ResamplingOptions resampling{options.trials, options.seed, options.threads};
  const auto tests = options.paired == PairedTest::kBootstrap ? paired_bootstrap(metric, statistics, resampling)
                                                              : paired_randomization(metric, statistics, resampling);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].p_value = tests[i].p_value;
    if (tests[i].interval) add_interval(results[i], *tests[i].interval);
  }
  return results;
}

/// Adds the scores of one more metric to the parts.
void add_scores(std::vector<PartOfLines>& reported, const std::optional<LineParts>& parts, const Metric& metric,
                const SegmentStatistics& statistics) {
  if (!parts) return;
  if (reported.empty()) {
    const auto counts = parts->line_counts();
    for (std::size_t i = 0; i < counts.size(); ++i) reported.push_back({parts->names[i], counts[i], {}});
  }
  auto scores = scores_by_part(metric, statistics, *parts);
  for (std::size_t i = 0; i < scores.size(); ++i) reported[i].scores.push_back(std::move(scores[i]));
}

/// Returns a metric's signature in its long and short form.
std::pair<std::string, std::string> signatures_of(const Metric& metric, const SignatureContext& context) {
  return {signature(metric, context), signature(metric, context, true)};
}

/// Adds differences of single lines, which are not resampled.
void add_differences(ScoreReport& report, const Metric& metric, const std::vector<SegmentStatistics>& statistics,
                     const References& references, std::int64_t max_lines) {
  report.differences = largest_differences(metric, statistics[0], statistics[1], max_lines);
  std::tie(report.differences_signature, report.short_differences_signature) =
      signatures_of(metric, {.references = references.count()});
}

void expect_parts_of(std::int64_t lines, const std::optional<LineParts>& parts, const std::string& what) {
  if (parts) expect_equal_lines(what, std::ssize(parts->of_line), "the reference", lines);
}

void expect_at_least(std::int64_t minimum, std::int64_t got, const std::string& what) {
  if (got < minimum)
    throw UsageError(what + ": wanted at least " + std::to_string(minimum) + ", got " + std::to_string(got));
}

}  // namespace

std::vector<std::int64_t> LineParts::line_counts() const {
  std::vector<std::int64_t> counts(names.size());
  for (const auto part : of_line) ++counts[part];
  return counts;
}

LineParts parts_by_name(std::span<const std::string> groups) { return parts_of(groups, std::identity()); }

LineParts parts_by_length(std::span<const std::string> sources, std::span<const std::int64_t> bounds) {
  std::vector<std::size_t> ranges;
  for (const auto& source : sources)
    ranges.push_back(static_cast<std::size_t>(std::ranges::lower_bound(bounds, count_words(source)) - bounds.begin()));
  return parts_of(std::span<const std::size_t>(ranges), [&](std::size_t range) { return range_name(range, bounds); });
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

void ScoringOptions::validate(std::int64_t systems, std::int64_t lines) const {
  expect_at_least(1, systems, "scores: systems");
  expect_at_least(0, resamples, "resamples");
  expect_at_least(0, differences, "differences");
  expect_at_least(1, threads, "threads");
  if (paired) {
    expect_at_least(2, systems, "paired test: systems");
    expect_at_least(1, trials, "paired test: trials");
  }
  if (differences > 0) expect_at_least(2, systems, "differences: systems");
  expect_parts_of(lines, groups, "the list of groups");
  expect_parts_of(lines, lengths, "the list of lengths");
}

ScoreReport score_systems(std::span<const MetricKind> metrics, const MetricOptions& settings,
                          std::span<const SystemOutput> systems, const References& references,
                          const ScoringOptions& options) {
  options.validate(std::ssize(systems), references.lines());
  ScoreReport report;
  report.paired = options.paired;
  report.trials = options.trials;
  for (const auto& system : systems) report.systems.push_back({system.name, {}, {}, {}});
  const auto context = signature_context(references, options);
  for (const auto kind : metrics) {
    const auto metric = make_metric(kind, settings);
    report.keys.emplace_back(metric_key(kind));
    report.signatures.push_back(signature(*metric, context));
    report.short_signatures.push_back(signature(*metric, context, true));
    std::vector<SegmentStatistics> statistics;
    for (const auto& system : systems)
      statistics.push_back(metric->statistics(system.lines, references, options.threads));
    auto results = results_of(*metric, statistics, options);
    for (std::size_t i = 0; i < systems.size(); ++i) {
      auto& system = report.systems[i];
      system.metrics.push_back(std::move(results[i]));
      add_scores(system.groups, options.groups, *metric, statistics[i]);
      add_scores(system.lengths, options.lengths, *metric, statistics[i]);
    }
    if (options.differences > 0 && report.keys.size() == 1)
      add_differences(report, *make_metric(kind, settings.for_lines()), statistics, references, options.differences);
  }
  return report;
}

LineScores score_lines(MetricKind kind, const MetricOptions& settings, const SystemOutput& system,
                       const References& references, const LineScoringOptions& options) {
  const auto metric = make_metric(kind, settings.for_lines());
  const auto statistics = metric->statistics(system.lines, references, options.threads);
  LineScores lines;
  lines.key = metric_key(kind);
  lines.name = metric->name();
  lines.signature = signature(*metric, {.references = references.count()});
  std::map<std::size_t, std::pair<std::string, std::string>> known;  // signatures by the number of references
  for (std::int64_t line = 0; line < statistics.lines(); ++line) {
    const auto row = statistics.row(line);
    auto score = metric->score(row);
    lines.scores.push_back(score.score);
    if (!options.details) continue;
    lines.details.push_back(std::move(score.details));
    const auto count = references.of_line[static_cast<std::size_t>(line)].size();
    auto signatures = known.find(count);
    if (signatures == known.end())
      signatures = known.emplace(count, signatures_of(*metric, {.references = std::to_string(count)})).first;
    lines.signatures.push_back(signatures->second.first);
    lines.short_signatures.push_back(signatures->second.second);
  }
  return lines;
}

}  // namespace gloss
