#include "evaluation/score_systems.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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

TEST(ScoreSystemsTest, WhatComparesSystemsWantsTwo) {
  const auto one = std::span(kSystems).first(1);
  EXPECT_THROW(report_of(one, [](auto& options) { options.paired = PairedTest::kRandomization; }), UsageError);
  EXPECT_THROW(report_of(one, [](auto& options) { options.differences = 1; }), UsageError);
  EXPECT_THROW(report_of({}, [](auto&) {}), UsageError);
}

TEST(ScoreSystemsTest, PartsAreOfAllLines) {
  EXPECT_THAT([] { report_of(kSystems, [](auto& options) {
                     options.groups = {{"g"}, {0}};
                   }); },
              ThrowsMessage<DataError>(HasSubstr("groups: wanted a part for each of 2 lines, got 1")));
}

TEST(ScoreSystemsTest, EverySystemHasItsRowOfThePairedTest) {
  for (const auto kind : {PairedTest::kBootstrap, PairedTest::kRandomization}) {
    const auto report = report_of(kSystems, [kind](auto& options) {
      options.paired = kind;
      options.trials = 20;
    });
    ASSERT_EQ(report.systems.size(), 2u);
    EXPECT_FALSE(report.systems[0].metrics[0].p_value);
    EXPECT_TRUE(report.systems[1].metrics[0].p_value);
    for (const auto& system : report.systems)
      EXPECT_EQ(system.metrics[0].mean.has_value(), kind == PairedTest::kBootstrap);
  }
}

TEST(ScoreSystemsTest, LinesHaveTheirOwnSignaturesAndOneTogether) {
  const auto lines = score_lines(MetricKind::kBleu, {}, kSystems[0], kReferences, 1);
  EXPECT_EQ(lines.name, "BLEU");
  EXPECT_THAT(lines.signature, HasSubstr("nrefs:var|case:mixed|eff:yes|"));
  EXPECT_THAT(lines.signatures, ElementsAre(HasSubstr("nrefs:1|"), HasSubstr("nrefs:2|")));
  EXPECT_THAT(lines.short_signatures, ElementsAre(HasSubstr("#:1|"), HasSubstr("#:2|")));
  EXPECT_THAT(lines.scores, testing::SizeIs(2));
  EXPECT_THAT(lines.details[1], HasSubstr("(BP = 1.000 ratio = 1.000 hyp_len = 1 ref_len = 1)"));
}

}  // namespace
}  // namespace gloss
