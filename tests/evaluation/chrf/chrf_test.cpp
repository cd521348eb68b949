#include "evaluation/chrf/chrf.h"

#include <algorithm>
#include <fstream>
#include <map>

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

json golden(const std::string& name) { return json::parse(std::ifstream(GLOSS_GOLDEN_FOLDER "/" + name)); }

ChrfOptions options_of(const json& values) {
  ChrfOptions options;
  options.char_order = values.value("char_order", options.char_order);
  options.word_order = values.value("word_order", options.word_order);
  options.beta = values.value("beta", options.beta);
  options.whitespace = values.value("whitespace", options.whitespace);
  options.lowercase = values.value("lowercase", options.lowercase);
  options.eps_smoothing = values.value("eps_smoothing", options.eps_smoothing);
  return options;
}

struct Pairs {
  Texts hypotheses;
  References references;
};

Pairs pairs() {
  const json rows = golden("evaluation_pairs.json").at("pairs");
  Pairs pairs;
  for (const auto& row : rows) {
    pairs.hypotheses.push_back(row.at("hypothesis"));
    auto& references = pairs.references.of_line.emplace_back();
    for (const auto& text : row.at("references"))
      if (!text.is_null()) references.push_back(text);
  }
  return pairs;
}

References one_reference(const Texts& lines) { return References::single(lines); }

double corpus_score(const ChrfMetric& metric, const SegmentStatistics& statistics) {
  return metric.score(sum_of_rows(statistics)).score;
}

double score_of(const std::string& hypothesis, const std::string& reference, const ChrfOptions& options = {}) {
  const ChrfMetric metric(options);
  return corpus_score(metric, metric.statistics(Texts{hypothesis}, one_reference({reference})));
}

// Every operation is the same and rounded separately, so the results are equal to the last bit.
TEST(ChrfTest, EqualsSacreBleuForEachOption) {
  const auto [hypotheses, references] = pairs();
  const auto results = golden("chrf.json").at("results");
  ASSERT_GE(results.size(), 14u);
  ASSERT_FALSE(results.empty());
  for (const auto& expected : results) {
    SCOPED_TRACE(expected.at("options").dump());
    const ChrfMetric metric(options_of(expected.at("options")));
    const auto statistics = metric.statistics(hypotheses, references);
    ASSERT_EQ(statistics.lines(), std::ssize(expected.at("lines")));
    for (std::int64_t line = 0; line < statistics.lines(); ++line)
      EXPECT_EQ(metric.score(statistics.row(line)).score, expected.at("lines").at(static_cast<std::size_t>(line)))
          << hypotheses[static_cast<std::size_t>(line)];
    EXPECT_EQ(corpus_score(metric, statistics), expected.at("score"));
  }
}

TEST(ChrfTest, RowsEqualSacreBleu) {
  const auto [hypotheses, references] = pairs();
  const auto results = golden("chrf.json").at("results");
  ASSERT_FALSE(results.empty());
  for (const auto& expected : results) {
    const ChrfMetric metric(options_of(expected.at("options")));
    const auto statistics = metric.statistics(hypotheses, references);
    std::int64_t line = 0;
    for (const auto& row : expected.at("rows")) {
      const auto got = statistics.row(line++);
      EXPECT_EQ(std::vector<double>(got.begin(), got.end()), row.get<std::vector<double>>()) << line;
    }
    EXPECT_GT(line, 0);
  }
}

TEST(ChrfTest, NameAndSignaturesEqualSacreBleu) {
  const auto references = pairs().references;
  const auto results = golden("chrf.json").at("results");
  ASSERT_FALSE(results.empty());
  for (const auto& expected : results) {
    const ChrfMetric metric(options_of(expected.at("options")));
    EXPECT_EQ(metric.name(), expected.at("name"));
    const SignatureContext context{.references = references.count(), .bootstrap = {}, .randomization = {}, .seed = {}};
    EXPECT_EQ(signature(metric, context), expected.at("signature"));
    EXPECT_EQ(signature(metric, context, true), expected.at("short_signature"));
  }
}

TEST(ChrfTest, ResultDoesNotDependOnThreads) {
  const auto [hypotheses, references] = pairs();
  const ChrfMetric metric({.word_order = 2, .lowercase = true});
  const auto expected = metric.statistics(hypotheses, references).values;
  for (const int threads : {2, 3, 400}) EXPECT_EQ(metric.statistics(hypotheses, references, threads).values, expected);
}

TEST(ChrfTest, TextAgainstItselfScores100) {
  for (const std::int64_t word_order : {0, 2})
    EXPECT_EQ(score_of("(Zwei) Hunde, ein Ball.", "(Zwei) Hunde, ein Ball.", {.word_order = word_order}), 100);
}

TEST(ChrfTest, NothingInCommonScores0) {
  EXPECT_EQ(score_of("abc", "xyz"), 0);
  EXPECT_EQ(score_of("", "xyz"), 0);
  EXPECT_EQ(score_of("abc", ""), 0);
  EXPECT_EQ(score_of("", ""), 0);
}

TEST(ChrfTest, MatchesAreClippedCounts) {
  const ChrfMetric metric({.char_order = 2});
  const auto row = metric.statistics(Texts{"aaaab"}, one_reference({"aab aa"})).values;
  EXPECT_THAT(row, testing::ElementsAre(5, 5, 5, 4, 4, 3));  // a 4, b 1; aa 2 of 3, ab 1
}

TEST(ChrfTest, OnePunctuationMarkIsSeparatedFromAWord) {
  const ChrfMetric words({.char_order = 0, .word_order = 1});
  const auto matches = [&](const std::string& hypothesis, const std::string& reference) {
    return words.statistics(Texts{hypothesis}, one_reference({reference})).values[2];
  };
  EXPECT_EQ(matches("(hi)", "((hi )"), 2);
  EXPECT_EQ(matches("(hi)", "( hi )"), 1);
  EXPECT_EQ(matches("\"hi", "\" hi"), 2);
  EXPECT_EQ(matches("hi!!", "hi! !"), 1);      // each is split again: "hi!" and "!" against "hi", "!" and "!"
  EXPECT_EQ(matches("¿hi", "¿ hi"), 0);        // not ASCII
  EXPECT_EQ(matches("a\u3000b", "b a"), 2);    // any white space
  EXPECT_EQ(matches("ab c", "a bc"), 0);       // characters of a word are not words
  EXPECT_EQ(matches("ab abc a", "abc b"), 1);  // a prefix of a word is not a word
}

TEST(ChrfTest, BestReferenceCountsFirstOfTies) {
  const ChrfMetric metric({.char_order = 1});
  References references{{{"xyz", "abx", "xba", "ax"}}};
  EXPECT_THAT(metric.statistics(Texts{"abc"}, references).values, testing::ElementsAre(3, 3, 2));
  references = {{{"xyz", "vwxy"}}};
  EXPECT_THAT(metric.statistics(Texts{"abc"}, references).values, testing::ElementsAre(3, 3, 0));
}

TEST(ChrfTest, BytesThatAreNotUtf8CountAsReplacementCharacters) {
  EXPECT_EQ(score_of("ab\xff cd", "ab\ufffd cd"), 100);
}

TEST(ChrfTest, LongLineOfOneCharacterIsCounted) {
  const std::string line(100'000, 'a');
  const ChrfMetric metric({.char_order = 50});
  const auto row = metric.statistics(Texts{line}, one_reference({line + "b"})).values;
  EXPECT_EQ(row[3 * 49 + 2], 100'000 - 49);
}

TEST(ChrfTest, FiguresHaveTheCountsByOrder) {
  const ChrfMetric metric({.char_order = 2});
  const auto statistics = metric.statistics(Texts{"abcx"}, one_reference({"abc"}));
  const auto score = metric.score(sum_of_rows(statistics));
  using Counts = std::vector<std::int64_t>;
  const std::map<std::string, ScoreFigure> figures(score.figures.begin(), score.figures.end());
  EXPECT_EQ(figures.at("matches"), ScoreFigure(Counts{3, 2}));
  EXPECT_EQ(figures.at("hypothesis_ngrams"), ScoreFigure(Counts{4, 3}));
  EXPECT_EQ(figures.at("reference_ngrams"), ScoreFigure(Counts{3, 2}));
  EXPECT_EQ(score.details, "");
}

TEST(ChrfTest, RefusesDifferentLineCountsAndReportsBoth) {
  EXPECT_THAT(
      [] {
        ChrfMetric().statistics(Texts{"a", "b"}, one_reference({"a", "b", "c"}));
      },
      ThrowsMessage<DataError>(HasSubstr("the hypothesis has 2 lines, the reference 3")));
  EXPECT_THROW(ChrfMetric().statistics(Texts{}, one_reference({})), DataError);
}

TEST(ChrfTest, RefusesLineWithoutReferenceAndNamesIt) {
  const References references{{{"a"}, {}}};
  for (const int threads : {1, 2})
    EXPECT_THAT(
        [&] {
          ChrfMetric().statistics(Texts{"a", "b"}, references, threads);
        },
        ThrowsMessage<DataError>(HasSubstr("line 2")));
}

TEST(ChrfTest, RefusesInvalidOptions) {
  for (const ChrfOptions& options :
       {ChrfOptions{.char_order = -1}, ChrfOptions{.char_order = 1001}, ChrfOptions{.char_order = 0},
        ChrfOptions{.word_order = -1}, ChrfOptions{.beta = -1}, ChrfOptions{.beta = 1'000'001}})
    EXPECT_THROW(ChrfMetric{options}, UsageError);
}

}  // namespace
}  // namespace gloss
