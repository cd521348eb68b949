#include "evaluation/ter/ter.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Texts = std::vector<std::string>;
using Figure = std::pair<std::string, ScoreFigure>;

json read_golden(const std::string& name) { return json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/" + name)); }

TerOptions options_of(const json& options) {
  return {.normalized = options.at("normalized"),
          .no_punct = options.at("no_punct"),
          .asian_support = options.at("asian_support"),
          .case_sensitive = options.at("case_sensitive")};
}

struct Corpus {
  Texts hypotheses;
  References references;
};

References references_of(const std::vector<Texts>& lines) { return {lines}; }

/// The pairs shared by all metrics, then those for TER.
Corpus corpus(const json& golden) {
  Corpus corpus;
  std::vector<Texts> references;
  const auto shared = read_golden("evaluation_pairs.json");
  for (const auto* pairs : {&shared.at("pairs"), &golden.at("own_pairs")})
    for (const auto& pair : *pairs) {
      corpus.hypotheses.push_back(pair.at("hypothesis"));
      auto& line = references.emplace_back();
      for (const auto& reference : pair.at("references"))
        if (!reference.is_null()) line.push_back(reference);
    }
  corpus.references = references_of(references);
  return corpus;
}

SegmentStatistics statistics(const TerMetric& metric, const std::string& hypothesis, const Texts& references) {
  return metric.statistics(Texts{hypothesis}, references_of({references}));
}

double score(const std::string& hypothesis, const std::string& reference) {
  const TerMetric metric;
  return metric.score(statistics(metric, hypothesis, {reference}).row(0)).score;
}

TEST(TerTest, EqualsSacreBleuWithAllOptions) {
  const auto golden = read_golden("ter.json");
  const auto [hypotheses, references] = corpus(golden);
  ASSERT_EQ(golden.at("settings").size(), 16u);
  for (const auto& expected : golden.at("settings")) {
    SCOPED_TRACE(expected.at("options").dump());
    const TerMetric metric(options_of(expected.at("options")));
    const auto rows = metric.statistics(hypotheses, references);
    ASSERT_EQ(rows.lines(), static_cast<std::int64_t>(expected.at("statistics").size()));
    for (std::int64_t line = 0; line < rows.lines(); ++line)
      EXPECT_EQ(json(std::vector(rows.row(line).begin(), rows.row(line).end())),
                expected.at("statistics")[static_cast<std::size_t>(line)])
          << hypotheses[static_cast<std::size_t>(line)];
    const auto sums = sum_of_rows(rows);
    const auto ter = metric.score(sums);
    EXPECT_EQ(ter.score, expected.at("score").get<double>());
    EXPECT_THAT(ter.figures, testing::ElementsAre(Figure("num_edits", expected.at("num_edits").get<std::int64_t>()),
                                                  Figure("ref_length", expected.at("ref_length").get<double>())));
  }
}

TEST(TerTest, EqualsSacreBleuInFloat32) {
  const std::vector<float> thirds = {10, 3}, none = {2, 0}, empty = {0, 0};
  const TerMetric metric;
  EXPECT_EQ(metric.resample_score(thirds).value, 333.33331298828125);  // each step rounded
  EXPECT_EQ(metric.resample_score(none).value, 100);
  EXPECT_EQ(metric.resample_score(empty).value, 0);
  EXPECT_TRUE(metric.resample_score(thirds).is_float32);
  EXPECT_FALSE(metric.resample_score(none).is_float32);
}

TEST(TerTest, SignatureEqualsSacreBleu) {
  const SignatureContext context{.references = "var", .bootstrap = {}, .randomization = {}, .seed = {}};
  const auto settings = read_golden("ter.json").at("settings");
  ASSERT_FALSE(settings.empty());
  for (const auto& expected : settings) {
    const TerMetric metric(options_of(expected.at("options")));
    EXPECT_EQ(signature(metric, context), expected.at("signature"));
    EXPECT_EQ(signature(metric, context, true), expected.at("short_signature"));
  }
}

TEST(TerTest, TokensEqualSacreBleu) {
  const auto golden = read_golden("ter.json");
  for (const auto& expected : golden.at("settings"))
    for (std::size_t i = 0; i < golden.at("lines").size(); ++i)
      EXPECT_EQ(tokenize_tercom(options_of(expected.at("options")), golden.at("lines")[i].get<std::string>()),
                expected.at("tokens")[i].get<std::string>());
}

TEST(TerTest, ShiftCountsAsOneEdit) {
  EXPECT_EQ(score("a b c d e f g h", "a b c d e f g h"), 0);
  EXPECT_EQ(score("e f a b c d g h", "a b c d e f g h"), 100.0 / 8);
  EXPECT_EQ(score("a b x d", "a b c d"), 25);
  EXPECT_EQ(score("a b d", "a b c d"), 25);
  EXPECT_EQ(score("a b c x d", "a b c d"), 25);
}

TEST(TerTest, UsesNearestReferenceAndAverageLength) {
  const TerMetric metric;
  const auto row = statistics(metric, "a b c", {"x y z w", "a b d", "a"});
  EXPECT_EQ(row.values, (std::vector<double>{1, 8.0 / 3}));
}

TEST(TerTest, ScoresEmptyLines) {
  EXPECT_EQ(score("", ""), 0);
  EXPECT_EQ(score("a b", ""), 100);
  EXPECT_EQ(score("", "a b"), 100);
  EXPECT_EQ(score(" \u3000", "\t"), 0);
}

TEST(TerTest, DoesNotDependOnThreads) {
  const auto [hypotheses, references] = corpus(read_golden("ter.json"));
  const TerMetric metric({.normalized = true});
  const auto one = metric.statistics(hypotheses, references, 1);
  for (const int threads : {2, 3, 1000})
    EXPECT_EQ(metric.statistics(hypotheses, references, threads).values, one.values);
}

TEST(TerTest, RefusesMisalignedTexts) {
  const TerMetric metric;
  EXPECT_THAT(
      [&] {
        metric.statistics(Texts{"a", "b"}, references_of({{"a"}}));
      },
      ThrowsMessage<DataError>(HasSubstr("the hypothesis has 2 lines, the reference 1")));
  EXPECT_THAT([&] { metric.statistics(Texts{}, References{}); },
              ThrowsMessage<DataError>(HasSubstr("at least one line")));
  EXPECT_THAT(
      [&] {
        metric.statistics(Texts{"a", "b"}, references_of({{"a"}, {}}));
      },
      ThrowsMessage<DataError>(HasSubstr("line 2: wanted a reference")));
}

}  // namespace
}  // namespace gloss
