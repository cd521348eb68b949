#include "evaluation/score_systems.h"

#include <memory>
#include <string>
#include <utility>

#include "evaluation/line_differences.h"
#include "evaluation/paired_test.h"
#include "evaluation/resampling.h"

namespace gloss {
namespace {

SignatureContext signature_context(const References& references, const ScoringOptions& options) {
  SignatureContext context;
  context.references = references.count();
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

PairedResult paired_result(const Metric& metric, const std::vector<SegmentStatistics>& statistics, std::size_t system,
                           const ScoringOptions& options) {
  const bool bootstrap = options.paired == PairedTest::kBootstrap;
  ResamplingOptions resampling{options.trials, options.seed, options.threads};
  if (system > 0)
    return bootstrap ? paired_bootstrap(metric, statistics.front(), statistics[system], resampling)
                     : paired_randomization(metric, statistics.front(), statistics[system], resampling);
  if (!bootstrap) resampling.samples = 0;
  return baseline_result(metric, statistics.front(), resampling);
}

MetricResult result_of(const Metric& metric, const std::vector<SegmentStatistics>& statistics, std::size_t system,
                       const ScoringOptions& options) {
  MetricResult result;
  result.score = metric.score(sum_of_rows(statistics[system]));
  if (options.paired) {
    const auto paired = paired_result(metric, statistics, system, options);
    result.p_value = paired.p_value;
    if (paired.interval) add_interval(result, *paired.interval);
  } else if (options.resamples > 1) {
    add_interval(result,
                 bootstrap_interval(metric, statistics[system], {options.resamples, options.seed, options.threads}));
  }
  return result;
}

/// The parts with the scores of one more metric.
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

References line_of(const References& references, std::size_t line) {
  References one;
  for (const auto& stream : references.streams) one.streams.push_back({stream[line]});
  return one;
}

}  // namespace

ScoreReport score_systems(std::span<const MetricKind> metrics, const MetricOptions& settings,
                          std::span<const SystemOutput> systems, const References& references,
                          const ScoringOptions& options) {
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
    for (std::size_t i = 0; i < systems.size(); ++i) {
      auto& system = report.systems[i];
      system.metrics.push_back(result_of(*metric, statistics, i, options));
      add_scores(system.groups, options.groups, *metric, statistics[i]);
      add_scores(system.lengths, options.lengths, *metric, statistics[i]);
    }
    if (options.differences > 0 && report.keys.size() == 1)
      report.differences = largest_differences(*make_metric(kind, settings.for_lines()), statistics[0], statistics[1],
                                               options.differences);
  }
  return report;
}

LineScores score_lines(MetricKind kind, const MetricOptions& settings, const SystemOutput& system,
                       const References& references, int threads) {
  const auto metric = make_metric(kind, settings.for_lines());
  const auto statistics = metric->statistics(system.lines, references, threads);
  LineScores lines;
  lines.key = metric_key(kind);
  for (std::int64_t line = 0; line < statistics.lines(); ++line) {
    SignatureContext context;
    context.references = line_of(references, static_cast<std::size_t>(line)).count();
    lines.scores.push_back(metric->score(statistics.row(line)));
    lines.signatures.push_back(signature(*metric, context));
    lines.short_signatures.push_back(signature(*metric, context, true));
  }
  return lines;
}

}  // namespace gloss
