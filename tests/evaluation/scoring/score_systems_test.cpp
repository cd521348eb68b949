#include "evaluation/scoring/score_systems.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "evaluation/chrf/chrf.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::ThrowsMessage;

const std::vector<SystemOutput> kSystems = {{"first", {"a b", "c"}}, {"second", {"a b", "d"}}};
const References kReferences{{{"a b"}, {"c", "e"}}};

template <typename Change>
ScoreReport report_of(std::span<const SystemOutput> systems, Change change) {
  ScoringOptions options;
  change(options);
  const std::vector metrics = {MetricKind::kTer};
  return score_systems(metrics, {}, systems, kReferences, options);
}

TEST(ScoreSystemsTest, OptionsOutsideTheirRangeAreRefused) {
  const auto refused = [](auto change) { EXPECT_THROW(report_of(kSystems, change), UsageError); };
  refused([](auto& options) { options.resamples = -1; });
  refused([](auto& options) { options.differences = -1; });
  refused([](auto& options) { options.threads = 0; });
  refused([](auto& options) {
    options.paired = PairedTest::kBootstrap;
    options.trials = 0;
  });
}

TEST(ScoreSystemsTest, ComparisonsRequireTwoSystems) {
  const auto one = std::span(kSystems).first(1);
  EXPECT_THROW(report_of(one, [](auto& options) { options.paired = PairedTest::kRandomization; }), UsageError);
  EXPECT_THROW(report_of(one, [](auto& options) { options.differences = 1; }), UsageError);
  EXPECT_THROW(report_of({}, [](auto&) {}), UsageError);
}

TEST(ScoreSystemsTest, GroupsMustCoverAllLines) {
  EXPECT_THAT([] { report_of(kSystems, [](auto& options) {
                     options.groups = {{"g"}, {0}};
                   }); },
              ThrowsMessage<DataError>(HasSubstr("the list of groups has 1 line, the reference 2")));
  EXPECT_THAT([] { report_of(kSystems, [](auto& options) {
                     options.lengths = {{"0-10"}, {0, 0, 0}};
                   }); },
              ThrowsMessage<DataError>(HasSubstr("the list of lengths has 3 lines, the reference 2")));
}

TEST(ScoreSystemsTest, GroupsAndLengthsAreScoredForEachSystem) {
  const auto report = report_of(kSystems, [](auto& options) {
    options.groups = {{"x", "y"}, {1, 0}};
    options.lengths = {{"0-10"}, {0, 0}};
  });
  ASSERT_THAT(report.systems, testing::SizeIs(kSystems.size()));
  for (const auto& system : report.systems) {
    ASSERT_THAT(system.groups, testing::SizeIs(2));
    EXPECT_EQ(system.groups[0].name, "x");
    EXPECT_EQ(system.groups[0].lines, 1);
    ASSERT_THAT(system.lengths, testing::SizeIs(1));
    EXPECT_EQ(system.lengths[0].lines, 2);
    EXPECT_EQ(system.lengths[0].scores[0].score, system.metrics[0].score.score);
  }
  EXPECT_EQ(report.systems[0].groups[0].scores[0].score, 0);
  EXPECT_EQ(report.systems[1].groups[0].scores[0].score, 100);  // "d" for "c" or "e"
  EXPECT_EQ(report.systems[1].groups[1].scores[0].score, 0);
}

// The scores use effective order and are not resampled.
TEST(ScoreSystemsTest, DifferencesHaveTheSignatureOfLines) {
  ScoringOptions options;
  options.differences = 5;
  options.paired = PairedTest::kBootstrap;
  options.trials = 10;
  const std::vector metrics = {MetricKind::kBleu, MetricKind::kTer};
  const auto report = score_systems(metrics, {}, kSystems, kReferences, options);
  EXPECT_EQ(report.differences_signature, "nrefs:var|case:mixed|eff:yes|tok:13a|smooth:exp|version:2.6.0");
  EXPECT_EQ(report.short_differences_signature, "#:var|c:mixed|e:yes|tok:13a|s:exp|v:2.6.0");
  EXPECT_THAT(report.signatures[0], HasSubstr("|bs:10|seed:12345|case:mixed|eff:no|"));
  ASSERT_THAT(report.differences, testing::SizeIs(1));
  EXPECT_EQ(report.differences[0].line, 2);
}

TEST(ScoreSystemsTest, PairedTestHasARowPerSystem) {
  for (const auto kind : {PairedTest::kBootstrap, PairedTest::kRandomization}) {
    const auto report = report_of(kSystems, [kind](auto& options) {
      options.paired = kind;
      options.trials = 20;
    });
    ASSERT_EQ(report.systems.size(), 2u);
    EXPECT_FALSE(report.systems[0].metrics[0].p_value);
    // About half of the trials swap the second line at random.
    ASSERT_TRUE(report.systems[1].metrics[0].p_value);
    EXPECT_GT(*report.systems[1].metrics[0].p_value, 0);
    EXPECT_LE(*report.systems[1].metrics[0].p_value, 1);
    EXPECT_EQ(report.systems[0].metrics[0].score.score, 0);
    EXPECT_DOUBLE_EQ(report.systems[1].metrics[0].score.score, 100.0 / 3);  // 1 edit of 2 + 1 words
    for (const auto& system : report.systems)
      EXPECT_EQ(system.metrics[0].mean.has_value(), kind == PairedTest::kBootstrap);
  }
}

TEST(ScoreSystemsTest, LinesHaveSeparateSignaturesAndACommonOne) {
  const auto lines = score_lines(MetricKind::kBleu, {}, kSystems[0], kReferences, {.threads = 1, .details = true});
  EXPECT_EQ(lines.name, "BLEU");
  EXPECT_THAT(lines.signature, HasSubstr("nrefs:var|case:mixed|eff:yes|"));
  EXPECT_THAT(lines.signatures, ElementsAre(HasSubstr("nrefs:1|"), HasSubstr("nrefs:2|")));
  EXPECT_THAT(lines.short_signatures, ElementsAre(HasSubstr("#:1|"), HasSubstr("#:2|")));
  EXPECT_THAT(lines.scores, testing::SizeIs(2));
  const auto bare = score_lines(MetricKind::kBleu, {}, kSystems[0], kReferences);
  EXPECT_EQ(bare.scores, lines.scores);
  EXPECT_THAT(bare.details, testing::IsEmpty());
  EXPECT_THAT(bare.signatures, testing::IsEmpty());
  EXPECT_THAT(lines.details[1], HasSubstr("(BP = 1.000 ratio = 1.000 hyp_len = 1 ref_len = 1)"));
}

References references_of(const std::vector<std::string>& lines) { return References::single(lines); }

TEST(LinePartsTest, NamesAreSorted) {
  const auto parts = parts_by_name(std::vector<std::string>{"z", "a", "z"});
  EXPECT_THAT(parts.names, ElementsAre("a", "z"));
  EXPECT_THAT(parts.of_line, ElementsAre(1, 0, 1));
  EXPECT_THAT(parts.line_counts(), ElementsAre(1, 2));
}

TEST(LinePartsTest, BoundBelongsToTheLowerGroup) {
  const std::vector<std::string> sources{"a b c", "a b", " ", "a  b\u3000c d ", "a b c d e"};
  const auto parts = parts_by_length(sources, std::vector<std::int64_t>{2, 4});
  EXPECT_THAT(parts.names, ElementsAre("0-2", "3-4", "5-"));
  EXPECT_THAT(parts.of_line, ElementsAre(1, 0, 0, 1, 2));
}

TEST(LinePartsTest, EmptyGroupsAreDropped) {
  const auto parts = parts_by_length(std::vector<std::string>{"a", "a b c d e f"}, std::vector<std::int64_t>{2, 4});
  EXPECT_THAT(parts.names, ElementsAre("0-2", "5-"));
  EXPECT_THAT(parts.of_line, ElementsAre(0, 1));
}

TEST(LinePartsTest, GroupIsScoredLikeATextOfItsLines) {
  const ChrfMetric metric;
  const std::vector<std::string> hypotheses{"the cat", "a dog runs", "two birds"};
  const std::vector<std::string> references{"the cats", "the dog ran", "two birds sing"};
  const auto statistics = metric.statistics(hypotheses, references_of(references));
  const auto scores = scores_by_part(metric, statistics, parts_by_name(std::vector<std::string>{"b", "a", "b"}));
  const auto alone = [&](const std::vector<std::string>& some, const std::vector<std::string>& their) {
    return metric.score(sum_of_rows(metric.statistics(some, references_of(their)))).score;
  };
  EXPECT_DOUBLE_EQ(scores[0].score, alone({hypotheses[1]}, {references[1]}));
  EXPECT_DOUBLE_EQ(scores[1].score, alone({hypotheses[0], hypotheses[2]}, {references[0], references[2]}));
}

TEST(LineDifferencesTest, LargestComeFirstAndEqualLinesAreSkipped) {
  const ChrfMetric metric;
  const auto references = references_of({"one two three", "four five six", "seven eight", "nine ten"});
  const std::vector<std::string> first{"one two three", "four", "seven eight", "x"};
  const std::vector<std::string> second{"one two", "four five six", "seven eight", "nine ten"};
  const auto statistics = [&](const auto& lines) { return metric.statistics(lines, references); };
  const auto all = largest_differences(metric, statistics(first), statistics(second), 10);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].line, 4);
  EXPECT_EQ(all[0].first, 0.0);
  EXPECT_EQ(all[0].second, 100.0);
  EXPECT_EQ(all[1].line, 2);
  EXPECT_EQ(all[2].line, 1);
  EXPECT_GT(all[2].first, all[2].second);
  EXPECT_EQ(largest_differences(metric, statistics(first), statistics(second), 1).size(), 1u);
  EXPECT_THAT(largest_differences(metric, statistics(first), statistics(first), 10), IsEmpty());
}

}  // namespace

}  // namespace gloss
