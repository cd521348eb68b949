#include "evaluation/metric_set.h"

#include <algorithm>

namespace gloss {

std::string_view metric_key(MetricKind kind) {
  return std::ranges::find(kMetrics, kind, [](const auto& metric) { return metric.second; })->first;
}

MetricOptions MetricOptions::for_lines() const {
  auto options = *this;
  options.bleu.effective_order = true;
  return options;
}

std::unique_ptr<Metric> make_metric(MetricKind kind, const MetricOptions& options) {
  switch (kind) {
    case MetricKind::kBleu:
      return std::make_unique<BleuMetric>(options.bleu);
    case MetricKind::kChrf:
      return std::make_unique<ChrfMetric>(options.chrf);
    default:
      return std::make_unique<TerMetric>(options.ter);
  }
}

}  // namespace gloss
