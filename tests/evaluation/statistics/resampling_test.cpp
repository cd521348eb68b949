#include "evaluation/statistics/resampling.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "evaluation/bleu/bleu.h"
#include "evaluation/chrf/chrf.h"
#include "evaluation/statistics/paired_test.h"
#include "evaluation/ter/ter.h"

namespace gloss {
namespace {

using nlohmann::json;

const json& golden() {
  static const json values = json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/resampling.json"));
  return values;
}

BleuSmoothing bleu_smoothing(const std::string& name) {
  const auto* choice = std::ranges::find(kBleuSmoothings, name, [](const auto& known) { return known.first; });
  if (choice == kBleuSmoothings.end()) throw std::invalid_argument(name);
  return choice->second;
}

BleuOptions bleu_options(const json& options) {
  BleuOptions result{.smoothing = bleu_smoothing(options.value("smooth_method", "exp")),
                     .lowercase = options.value("lowercase", false),
                     .max_order = options.value("max_ngram_order", 4)};
  if (options.contains("smooth_value")) result.smoothing_value = options.at("smooth_value").get<double>();
  return result;
}

ChrfOptions chrf_options(const json& options) {
  return {.char_order = options.value("char_order", 6),
          .word_order = options.value("word_order", 0),
          .beta = options.value("beta", 2),
          .lowercase = options.value("lowercase", false),
          .eps_smoothing = options.value("eps_smoothing", false)};
}

TerOptions ter_options(const json& options) {
  return {.normalized = options.value("normalized", false), .case_sensitive = options.value("case_sensitive", false)};
}

std::unique_ptr<Metric> metric_of(const json& expected) {
  const auto& options = expected.at("options");
  const std::string name = expected.at("metric");
  if (name == "BLEU") return std::make_unique<BleuMetric>(bleu_options(options));
  if (name == "TER") return std::make_unique<TerMetric>(ter_options(options));
  return std::make_unique<ChrfMetric>(chrf_options(options));
}

/// Statistics of the first `lines` of a system of the golden file, each with `references` references.
SegmentStatistics statistics_of(const Metric& metric, const std::string& system, std::size_t lines,
                                std::size_t references = 1) {
  auto hypotheses = golden().at("systems").at(system).get<std::vector<std::string>>();
  auto streams = golden().at("further_references").get<std::vector<std::vector<std::string>>>();
  streams.insert(streams.begin(), golden().at("references").get<std::vector<std::string>>());
  streams.resize(references);
  hypotheses.resize(lines);
  for (auto& stream : streams) stream.resize(lines);
  return metric.statistics(hypotheses, References::in_streams(streams));
}

SegmentStatistics statistics_of(const Metric& metric, const std::string& system, const json& expected) {
  return statistics_of(metric, system, expected.at("lines"), expected.at("references"));
}

SignatureContext context_of(const json& expected) {
  SignatureContext context;
  context.references = std::to_string(expected.at("references").get<int>());
  return context;
}

ResamplingOptions options_of(const json& expected, int threads) {
  return {.samples = expected.at("samples"),
          .seed = ResamplingSeed::parse(expected.at("seed")).value(),
          .threads = threads};
}

/// Compares BLEU up to differences of exp() and log() between processors, the others to the last bit.
void expect_figures(const json& expected, const std::vector<double>& got, const std::vector<double>& golden_figures) {
  if (expected.at("metric") == "BLEU") {
    EXPECT_THAT(got, testing::Pointwise(testing::DoubleNear(1e-9), golden_figures));
  } else {
    EXPECT_EQ(got, golden_figures);
  }
}

class ResamplingTest : public testing::TestWithParam<int> {};  // threads

TEST_P(ResamplingTest, IntervalsEqualSacreBleu) {
  ASSERT_GE(golden().at("intervals").size(), 40u);
  for (const auto& expected : golden().at("intervals")) {
    SCOPED_TRACE(expected.dump());
    const auto made = metric_of(expected);
    const auto& metric = *made;
    const auto options = options_of(expected, GetParam());
    const auto interval = bootstrap_interval(metric, statistics_of(metric, "system", expected), options);
    expect_figures(expected, {interval.mean, interval.half_width},
                   {expected.at("mean").get<double>(), expected.at("half_width").get<double>()});
    auto context = context_of(expected);
    context.bootstrap = options.samples;
    context.seed = options.seed.text;
    EXPECT_EQ(signature(metric, context), expected.at("signature"));
    EXPECT_EQ(signature(metric, context, true), expected.at("short_signature"));
  }
}

std::vector<double> figures(const PairedResult& result) {
  std::vector<double> figures{result.score};
  if (result.p_value) figures.push_back(*result.p_value);
  if (result.interval) figures.insert(figures.end(), {result.interval->mean, result.interval->half_width});
  return figures;
}

TEST_P(ResamplingTest, PairedTestsEqualSacreBleu) {
  ASSERT_GE(golden().at("tests").size(), 114u);
  for (const auto& expected : golden().at("tests")) {
    SCOPED_TRACE(expected.dump());
    const auto made = metric_of(expected);
    const auto& metric = *made;
    const auto options = options_of(expected, GetParam());
    const std::int64_t interval_samples = expected.at("interval_samples");
    std::vector<SegmentStatistics> systems;
    for (const auto* name : {"system", "near", "far"})  // the first is the baseline
      systems.push_back(statistics_of(metric, name, expected));
    const auto results = expected.at("kind") == "bs" ? paired_bootstrap(metric, systems, options)
                                                     : paired_randomization(metric, systems, options, interval_samples);
    ASSERT_EQ(results.size(), systems.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      expect_figures(expected, figures(results[i]), expected.at("figures").at(i).get<std::vector<double>>());
    auto context = context_of(expected);
    context.seed = options.seed.number;
    if (interval_samples > 0) context.bootstrap = interval_samples;
    if (expected.at("kind") == "ar") context.randomization = options.samples;
    EXPECT_EQ(signature(metric, context), expected.at("signature"));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ResamplingTest, testing::Values(1, 3, 16));

/// The share of equal lines: a metric without an example in NumPy.
class EqualLines final : public Metric {
 public:
  std::string name() const override { return "equal lines"; }
  std::vector<SignatureEntry> settings() const override { return {}; }
  SegmentStatistics statistics(std::span<const std::string> hypotheses, const References& references,
                               int) const override {
    SegmentStatistics rows{2, {}};
    for (std::size_t i = 0; i < hypotheses.size(); ++i)
      rows.values.insert(rows.values.end(), {hypotheses[i] == references.of_line[i].front() ? 1.0 : 0.0, 1.0});
    return rows;
  }
  MetricScore score(std::span<const double> sums) const override {
    return {.name = name(), .score = 100 * sums[0] / sums[1], .details = {}, .figures = {}};
  }
};

TEST(ResamplingTest, MetricNeedsItsScoreOnly) {
  const EqualLines metric;
  const auto references = References::single(std::vector<std::string>{"a", "b", "c", "d"});
  const std::vector<std::string> half{"a", "b", "x", "x"}, quarter{"x", "x", "c", "x"};
  const std::vector systems{metric.statistics(half, references, 1), metric.statistics(quarter, references, 1)};
  const auto interval = bootstrap_interval(metric, systems[0], {.samples = 200});
  EXPECT_NEAR(interval.mean, 50, 5);
  EXPECT_EQ(interval.half_width, 50);  // 2 of 40 samples have no equal line
  EXPECT_EQ(paired_bootstrap(metric, systems, {.samples = 99})[1].score, 25);
  // The three lines that differ fall to one side in a quarter of the trials.
  EXPECT_NEAR(paired_randomization(metric, systems, {.samples = 999})[1].p_value.value(), 0.25, 0.05);
}

TEST(PairedTest, SystemDoesNotDifferFromItself) {
  const ChrfMetric metric;
  const std::vector twice(2, statistics_of(metric, "system", 50));
  EXPECT_EQ(paired_bootstrap(metric, twice, {.samples = 99})[1].p_value, 0.01);
  EXPECT_EQ(paired_randomization(metric, twice, {.samples = 99})[1].p_value, 0.01);
}

TEST(PairedTest, RefusesSystemsOfDifferentLengthsAndReportsBoth) {
  const ChrfMetric metric;
  const std::vector systems{statistics_of(metric, "system", 5), statistics_of(metric, "near", 6)};
  const auto refuses = testing::ThrowsMessage<DataError>(testing::HasSubstr("a system has 6 lines, the baseline 5"));
  EXPECT_THAT([&] { paired_bootstrap(metric, systems, {}); }, refuses);
  EXPECT_THAT([&] { paired_randomization(metric, systems, {}); }, refuses);
}

TEST(PairedTest, RequiresTwoSystemsAndASample) {
  const ChrfMetric metric;
  const std::vector one{statistics_of(metric, "system", 5)};
  const std::vector two{one[0], one[0]};
  EXPECT_THROW(paired_bootstrap(metric, one, {}), UsageError);
  EXPECT_THROW(paired_randomization(metric, one, {}), UsageError);
  EXPECT_THROW(paired_bootstrap(metric, two, {.samples = 0}), UsageError);
  EXPECT_THROW(paired_randomization(metric, two, {.samples = 0}), UsageError);
}

}  // namespace
}  // namespace gloss
