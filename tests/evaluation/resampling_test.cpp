#include "evaluation/resampling.h"

#include <fstream>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "evaluation/bleu_metric.h"
#include "evaluation/chrf.h"
#include "evaluation/paired_test.h"
#include "evaluation/ter.h"

namespace gloss {
namespace {

using nlohmann::json;

const json& golden() {
  static const json values = json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/resampling.json"));
  return values;
}

BleuOptions bleu_options(const json& options) {
  BleuOptions result{.lowercase = options.value("lowercase", false), .max_order = options.value("max_ngram_order", 4)};
  if (options.contains("smooth_method")) result.smoothing = BleuSmoothing::kFloor;
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

std::unique_ptr<Metric> metric_of(const json& wanted) {
  const auto& options = wanted.at("options");
  const std::string name = wanted.at("metric");
  if (name == "BLEU") return std::make_unique<BleuMetric>(bleu_options(options));
  if (name == "TER") return std::make_unique<TerMetric>(ter_options(options));
  return std::make_unique<ChrfMetric>(chrf_options(options));
}

/// Of the first `lines` of a system of the golden file.
SegmentStatistics statistics_of(const Metric& metric, const std::string& system, std::size_t lines) {
  auto hypotheses = golden().at("systems").at(system).get<std::vector<std::string>>();
  auto reference = golden().at("references").get<std::vector<std::string>>();
  hypotheses.resize(lines);
  reference.resize(lines);
  return metric.statistics(hypotheses, References::single(reference));
}

ResamplingOptions options_of(const json& wanted, int threads) {
  return {
      .samples = wanted.at("samples"), .seed = ResamplingSeed::parse(wanted.at("seed")).value(), .threads = threads};
}

class ResamplingTest : public testing::TestWithParam<int> {};  // threads

TEST_P(ResamplingTest, IntervalsAreSacreBleus) {
  ASSERT_GE(golden().at("intervals").size(), 15u);
  for (const auto& wanted : golden().at("intervals")) {
    SCOPED_TRACE(wanted.dump());
    const auto made = metric_of(wanted);
    const auto& metric = *made;
    const auto options = options_of(wanted, GetParam());
    const auto interval = bootstrap_interval(metric, statistics_of(metric, "system", wanted.at("lines")), options);
    EXPECT_EQ(interval.mean, wanted.at("mean"));
    EXPECT_EQ(interval.half_width, wanted.at("half_width"));
    const SignatureContext context{
        .references = "1", .bootstrap = options.samples, .randomization = {}, .seed = options.seed.text};
    EXPECT_EQ(signature(metric, context), wanted.at("signature"));
    EXPECT_EQ(signature(metric, context, true), wanted.at("short_signature"));
  }
}

std::vector<double> figures(const PairedResult& result) {
  std::vector<double> figures{result.score};
  if (result.p_value) figures.push_back(*result.p_value);
  if (result.interval) figures.insert(figures.end(), {result.interval->mean, result.interval->half_width});
  return figures;
}

TEST_P(ResamplingTest, PairedTestsAreSacreBleus) {
  ASSERT_GE(golden().at("tests").size(), 48u);
  for (const auto& wanted : golden().at("tests")) {
    SCOPED_TRACE(wanted.dump());
    const auto made = metric_of(wanted);
    const auto& metric = *made;
    const auto options = options_of(wanted, GetParam());
    const std::int64_t interval_samples = wanted.at("interval_samples");
    std::vector<SegmentStatistics> systems;
    for (const auto* name : {"system", "near", "far"})  // the first is the baseline
      systems.push_back(statistics_of(metric, name, wanted.at("lines")));
    const auto results = wanted.at("kind") == "bs" ? paired_bootstrap(metric, systems, options)
                                                   : paired_randomization(metric, systems, options, interval_samples);
    ASSERT_EQ(results.size(), systems.size());
    for (std::size_t i = 0; i < results.size(); ++i)
      EXPECT_EQ(figures(results[i]), wanted.at("figures").at(i).get<std::vector<double>>()) << i;
    SignatureContext context{.references = "1", .bootstrap = {}, .randomization = {}, .seed = options.seed.number};
    if (interval_samples > 0) context.bootstrap = interval_samples;
    if (wanted.at("kind") == "ar") context.randomization = options.samples;
    EXPECT_EQ(signature(metric, context), wanted.at("signature"));
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, ResamplingTest, testing::Values(1, 3, 16));

TEST(PairedTest, ASystemIsNotDifferentFromItself) {
  const ChrfMetric metric;
  const std::vector twice(2, statistics_of(metric, "system", 50));
  EXPECT_EQ(paired_bootstrap(metric, twice, {.samples = 99})[1].p_value, 0.01);
  EXPECT_EQ(paired_randomization(metric, twice, {.samples = 99})[1].p_value, 0.01);
}

TEST(PairedTest, RefusesSystemsOfOtherLengthsAndStatesBoth) {
  const ChrfMetric metric;
  const std::vector systems{statistics_of(metric, "system", 5), statistics_of(metric, "near", 6)};
  const auto refuses = testing::ThrowsMessage<DataError>(testing::HasSubstr("6 and 5"));
  EXPECT_THAT([&] { paired_bootstrap(metric, systems, {}); }, refuses);
  EXPECT_THAT([&] { paired_randomization(metric, systems, {}); }, refuses);
}

TEST(PairedTest, WantsTwoSystemsAndASample) {
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
