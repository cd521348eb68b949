#pragma once

#include <array>
#include <memory>
#include <string_view>
#include <utility>

#include "evaluation/bleu/bleu.h"
#include "evaluation/chrf/chrf.h"
#include "evaluation/metric.h"
#include "evaluation/ter/ter.h"

namespace gloss {

enum class MetricKind { kBleu, kChrf, kTer };

/// Names in options and JSON, in sacreBLEU's order.
inline constexpr std::array<std::pair<std::string_view, MetricKind>, 3> kMetrics{
    {{"bleu", MetricKind::kBleu}, {"chrf", MetricKind::kChrf}, {"ter", MetricKind::kTer}}};
std::string_view metric_key(MetricKind kind);

/// The settings of all metrics.
struct MetricOptions {
  BleuOptions bleu;
  ChrfOptions chrf;
  TerOptions ter;

  /// Returns the settings for scores of single lines: BLEU with effective order.
  MetricOptions for_lines() const;
};

/// Creates a metric. Throws UsageError if its settings are wrong.
std::unique_ptr<Metric> make_metric(MetricKind kind, const MetricOptions& options);

}  // namespace gloss
