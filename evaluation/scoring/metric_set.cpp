#include "evaluation/scoring/metric_set.h"

#include "common/config/config_section.h"

namespace gloss {

std::string_view metric_key(MetricKind kind) { return choice_name(kind, Choices<MetricKind>(kMetrics)); }

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
