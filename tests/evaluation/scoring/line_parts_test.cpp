#include "evaluation/scoring/line_parts.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/chrf/chrf.h"

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
