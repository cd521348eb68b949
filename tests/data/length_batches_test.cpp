#include "data/length_batches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::int64_t>> batches_of(const std::vector<PairLengths>& pairs, std::int64_t batch_tokens) {
  return batches_by_length(pairs, batch_tokens);
}

TEST(LengthBatchesTest, BatchesGoFromShortToLongAndHoldTheLongerSidesPositions) {
  EXPECT_THAT(batches_of({{3, 9}, {2, 2}, {10, 1}, {2, 3}, {40, 40}}, 20),
              ElementsAre(ElementsAre(1, 3), ElementsAre(0, 2), ElementsAre(4)));
  EXPECT_TRUE(batches_of({}, 20).empty());
}

TEST(LengthBatchesTest, ABatchMayBeFull) {
  EXPECT_EQ(batches_of({{5, 5}, {5, 5}, {5, 4}, {4, 5}}, 20).size(), 1u);
  EXPECT_EQ(batches_of({{5, 5}, {5, 5}, {5, 4}, {4, 5}}, 19).size(), 2u);
}

TEST(LengthBatchesTest, TheDifferenceRisesAtEvenOrAtOddLengths) {
  const std::vector<PairLengths> pairs = {{4, 2}, {1, 4}, {3, 1}, {1, 3}};
  const auto sorted = [&](bool even_rise) {
    std::vector<std::uint32_t> order = {0, 1, 2, 3};
    sort_by_length(
        order, [&](std::uint32_t i) { return pairs[i]; }, even_rise);
    return order;
  };
  EXPECT_THAT(sorted(true), ElementsAre(2, 3, 1, 0));
  EXPECT_THAT(sorted(false), ElementsAre(3, 2, 0, 1));
}

TEST(LengthBatchesTest, TheFirstBatchHasItsOwnLimit) {
  const std::vector<std::uint32_t> pairs(10);
  const auto begins = cut_by_length(
      pairs,
      [](std::uint32_t) {
        return PairLengths{2, 2};
      },
      8, 4);
  EXPECT_THAT(begins, ElementsAre(0, 2, 6));
}

}  // namespace
}  // namespace gloss
