#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "common/error.h"
#include "evaluation/bleu/bleu.h"

namespace gloss {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Texts = std::vector<std::string>;

json golden(const std::string& name) { return json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/" + name)); }

struct Corpus {
  Texts hypotheses;
  References references;
};

/// evaluation_pairs.json as a corpus whose lines have different numbers of references.
Corpus golden_corpus() {
  Corpus corpus;
  const auto pairs = golden("evaluation_pairs.json").at("pairs");
  for (const auto& pair : pairs) {
    corpus.hypotheses.push_back(pair.at("hypothesis"));
    auto& references = corpus.references.of_line.emplace_back();
    for (const auto& reference : pair.at("references"))
      if (!reference.is_null()) references.push_back(reference);
  }
  return corpus;
}

template <typename Choices>
auto choice(const Choices& choices, const std::string& name) {
  for (const auto& [known, value] : choices)
    if (known == name) return value;
  throw std::invalid_argument(name);
}

BleuOptions options_of(const json& expected) {
  BleuOptions options;
  options.tokenizer = choice(kBleuTokenizers, expected.at("tokenize"));
  options.smoothing = choice(kBleuSmoothings, expected.at("smooth_method"));
  if (!expected.at("smooth_value").is_null()) options.smoothing_value = expected.at("smooth_value").get<double>();
  options.lowercase = expected.at("lowercase");
  options.effective_order = expected.at("effective_order");
  options.max_order = expected.at("max_ngram_order");
  return options;
}

ScoreFigure figure(const MetricScore& score, const std::string& name) { return choice(score.figures, name); }

References one_reference(const Texts& lines) { return References::single(lines); }

/// Returns the sums of `window` lines from each multiple of it on.
std::vector<std::vector<double>> sums_of_windows(const SegmentStatistics& statistics, std::int64_t window) {
  std::vector<std::vector<double>> sums;
  for (std::int64_t line = 0; line < statistics.lines(); ++line) {
    if (line % window == 0) sums.emplace_back(static_cast<std::size_t>(statistics.width));
    const auto row = statistics.row(line);
    for (std::size_t i = 0; i < row.size(); ++i) sums.back()[i] += row[i];
  }
  return sums;
}

// exp and log of the C library may differ in their last bit between processors, which EXPECT_DOUBLE_EQ tolerates. All
// other values are equal to the last digit.
TEST(BleuMetricTest, CorpusScoresEqualSacreBleuWithEveryOption) {
  const auto corpus = golden_corpus();
  const auto settings = golden("bleu_options.json").at("settings");
  ASSERT_GE(settings.size(), 28u);
  ASSERT_FALSE(settings.empty());
  for (const auto& expected : settings) {
    SCOPED_TRACE(expected.at("options").dump());
    const BleuMetric metric(options_of(expected.at("options")));
    const auto score = metric.score(sum_of_rows(metric.statistics(corpus.hypotheses, corpus.references)));
    EXPECT_DOUBLE_EQ(score.score, expected.at("score").get<double>());
    EXPECT_EQ(score.details, expected.at("details"));
    EXPECT_EQ(std::get<std::vector<double>>(figure(score, "precisions")), expected.at("precisions"));
    EXPECT_DOUBLE_EQ(std::get<double>(figure(score, "brevity_penalty")), expected.at("brevity_penalty").get<double>());
  }
}

TEST(BleuMetricTest, SignaturesEqualSacreBleu) {
  const auto references = golden_corpus().references.count();
  const auto settings = golden("bleu_options.json").at("settings");
  ASSERT_FALSE(settings.empty());
  for (const auto& expected : settings) {
    const BleuMetric metric(options_of(expected.at("options")));
    SignatureContext context;
    context.references = references;
    EXPECT_EQ(signature(metric, context), expected.at("signature"));
    EXPECT_EQ(signature(metric, context, true), expected.at("short_signature"));
  }
}

TEST(BleuMetricTest, ScoresOfLinesEqualSacreBleuWithEveryOption) {
  const auto corpus = golden_corpus();
  const auto settings = golden("bleu_options.json").at("settings");
  ASSERT_FALSE(settings.empty());
  for (const auto& expected : settings) {
    SCOPED_TRACE(expected.at("options").dump());
    const BleuMetric metric(options_of(expected.at("options")));
    const auto statistics = metric.statistics(corpus.hypotheses, corpus.references);
    ASSERT_EQ(statistics.lines(), std::ssize(expected.at("sentences")));
    for (std::int64_t line = 0; line < statistics.lines(); ++line)
      EXPECT_DOUBLE_EQ(metric.score(statistics.row(line)).score,
                       expected.at("sentences")[static_cast<std::size_t>(line)].get<double>())
          << line;
  }
}

TEST(BleuMetricTest, SinglePrecisionAndTrialsEqualNumPy) {
  const auto corpus = golden_corpus();
  const auto file = golden("bleu_options.json");
  ASSERT_FALSE(file.at("settings").empty());
  for (const auto& expected : file.at("settings")) {
    SCOPED_TRACE(expected.at("options").dump());
    const BleuMetric metric(options_of(expected.at("options")));
    const auto windows =
        sums_of_windows(metric.statistics(corpus.hypotheses, corpus.references), file.at("window").get<std::int64_t>());
    ASSERT_EQ(windows.size(), expected.at("single_precision").size());
    for (std::size_t i = 0; i < windows.size(); ++i) {
      const std::vector<float> single(windows[i].begin(), windows[i].end());
      EXPECT_DOUBLE_EQ(metric.resample_score(single).value, expected.at("single_precision")[i].get<double>()) << i;
      EXPECT_DOUBLE_EQ(metric.trial_score(windows[i]), expected.at("trials")[i].get<double>()) << i;
    }
  }
}

TEST(BleuMetricTest, ThreadsDoNotChangeTheStatistics) {
  auto corpus = golden_corpus();
  for (int doubled = 0; doubled < 3; ++doubled) {
    const auto twice = [](auto& lines) {
      const auto once = lines;
      lines.insert(lines.end(), once.begin(), once.end());
    };
    twice(corpus.hypotheses);
    twice(corpus.references.of_line);
  }
  const BleuMetric metric;
  const auto alone = metric.statistics(corpus.hypotheses, corpus.references, 1);
  for (const int threads : {2, 3, 8})
    EXPECT_EQ(metric.statistics(corpus.hypotheses, corpus.references, threads).values, alone.values) << threads;
}

TEST(BleuMetricTest, ReferenceOrderDoesNotMatter) {
  auto corpus = golden_corpus();
  const BleuMetric metric;
  const auto forwards = metric.statistics(corpus.hypotheses, corpus.references);
  for (auto& references : corpus.references.of_line) std::ranges::reverse(references);
  EXPECT_EQ(metric.statistics(corpus.hypotheses, corpus.references).values, forwards.values);
}

TEST(BleuMetricTest, OwnTokenizerIsUsedAndNamedInTheSignature) {
  const Texts hypotheses = {"abc bcd", "Cab"}, references = {"abd bcd", "cab"};
  BleuOptions own;
  own.own_tokenizer = {"letters", [](std::string_view line) { return tokenize(BleuTokenizer::kChar, line); }};
  BleuOptions letters;
  letters.tokenizer = BleuTokenizer::kChar;
  for (const bool lowercase : {false, true}) {
    own.lowercase = letters.lowercase = lowercase;
    EXPECT_EQ(BleuMetric(own).statistics(hypotheses, one_reference(references)).values,
              BleuMetric(letters).statistics(hypotheses, one_reference(references)).values);
  }
  EXPECT_THAT(signature(BleuMetric(own), {}), HasSubstr("|tok:letters|"));
}

TEST(BleuMetricTest, AMillionEqualTokensAreCountedExactly) {
  std::string line;
  for (int i = 0; i < 1'000'000; ++i) line += "a ";
  const BleuMetric metric;
  const auto statistics = metric.statistics(Texts{line}, one_reference({line + "a"}));
  EXPECT_THAT(statistics.values,
              testing::ElementsAre(1e6, 1e6 + 1, 1e6, 1e6 - 1, 1e6 - 2, 1e6 - 3, 1e6, 1e6 - 1, 1e6 - 2, 1e6 - 3));
}

TEST(BleuMetricTest, RefusesMisalignedTextsAndReportsBothCounts) {
  EXPECT_THAT(
      [] {
        BleuMetric().statistics(Texts{"a", "b"}, one_reference({"a", "b", "c"}));
      },
      ThrowsMessage<DataError>(HasSubstr("the hypothesis has 2 lines, the reference 3")));
  EXPECT_THAT(
      [] {
        References::in_streams(std::vector<Texts>{{"a", "b"}, {"a"}});
      },
      ThrowsMessage<DataError>(HasSubstr("has 1 line, the first one 2")));
}

TEST(BleuMetricTest, RefusesALineWithoutReferenceByItsNumber) {
  EXPECT_THAT(
      [] {
        BleuMetric().statistics(Texts{"a", "b"}, {{{"a", "a"}, {}}});
      },
      ThrowsMessage<DataError>(HasSubstr("line 2")));
}

TEST(BleuMetricTest, RefusesEmptyInput) {
  EXPECT_THROW(BleuMetric().statistics({}, {}), DataError);
  EXPECT_THROW(BleuMetric().statistics(Texts{"a"}, {}), DataError);
}

TEST(BleuMetricTest, RefusesSettingsOutsideTheirRange) {
  const auto refused = [](auto change) {
    BleuOptions options;
    change(options);
    EXPECT_THROW(BleuMetric{options}, UsageError);
  };
  refused([](auto& options) { options.max_order = 0; });
  refused([](auto& options) { options.max_order = 101; });
  refused([](auto& options) { options.smoothing_value = -0.1; });
  refused([](auto& options) { options.smoothing_value = std::numeric_limits<double>::quiet_NaN(); });
  refused([](auto& options) { options.smoothing_value = std::numeric_limits<double>::infinity(); });
  refused([](auto& options) { options.own_tokenizer = {"a|b", {}}; });
  refused([](auto& options) { options.own_tokenizer = {"", {}}; });
}

TEST(BleuMetricTest, StreamsBecomeReferencesOfLines) {
  const auto references = References::in_streams(std::vector<Texts>{{"a", "b"}, {"c", "d"}});
  EXPECT_THAT(references.of_line, testing::ElementsAre(Texts{"a", "c"}, Texts{"b", "d"}));
  EXPECT_EQ(references.count(), "2");
}

TEST(BleuMetricTest, CountsLinesThatLookTokenized) {
  EXPECT_EQ(lines_with_tokenized_period(Texts{"a .", "a.", "b . ", " .", ""}), 2);
}

}  // namespace
}  // namespace gloss
