#include "data/batch.h"

#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;

/// A batch whose sentences have these lengths on both sides; each id is the index of its sentence.
Batch batch_of(const std::vector<std::size_t>& lengths) {
  Batch batch;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    batch.source.emplace_back(lengths[i], static_cast<Id>(i));
    batch.target.emplace_back(lengths[i], static_cast<Id>(i));
  }
  return batch;
}

std::vector<std::size_t> sentences(const std::vector<Batch>& shards) {
  std::vector<std::size_t> counts;
  for (const auto& shard : shards) counts.push_back(shard.source.size());
  return counts;
}

TEST(ShardsTest, LinksStayWithTheirSentences) {
  auto batch = batch_of({3, 4, 5, 5, 6, 6, 7, 9, 9});
  for (Id i = 0; i < 9; ++i) batch.links.push_back({{i}, {i}});
  for (const auto& shard : cut_into_shards(batch, 4)) {
    ASSERT_EQ(shard.links.size(), shard.source.size());
    for (std::size_t i = 0; i < shard.links.size(); ++i)
      EXPECT_THAT(shard.links[i].source, ElementsAre(shard.source[i].front()));
  }
}

TEST(ShardsTest, SentencesStayInOrderAndTogether) {
  const auto shards = cut_into_shards(batch_of({3, 4, 5, 5, 6, 6, 7, 9, 9}), 4);
  ASSERT_EQ(shards.size(), 4U);
  Id next = 0;
  for (const auto& shard : shards) {
    ASSERT_EQ(shard.source.size(), shard.target.size());
    EXPECT_EQ(shard.source, shard.target);
    for (const auto& sentence : shard.source) EXPECT_EQ(sentence.front(), next++);
  }
  EXPECT_EQ(next, 9);
}

TEST(ShardsTest, ShardsHaveAboutEqualTokens) {
  EXPECT_THAT(sentences(cut_into_shards(batch_of(std::vector<std::size_t>(12, 5)), 4)), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(sentences(cut_into_shards(batch_of({1, 1, 1, 1, 1, 1, 6}), 2)), ElementsAre(6, 1));
  for (const std::int64_t count : {2, 3, 4, 8}) {
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < 60; ++i) lengths.push_back(4 + i / 6);
    std::vector<std::int64_t> tokens;
    for (const auto& shard : cut_into_shards(batch_of(lengths), count)) tokens.push_back(shard.target_tokens());
    EXPECT_LE(std::ranges::max(tokens) - std::ranges::min(tokens), 2 * 13) << count;
  }
}

TEST(ShardsTest, OneShardIsTheBatch) {
  const auto shards = cut_into_shards(batch_of({3, 1, 2}), 1);
  ASSERT_EQ(shards.size(), 1U);
  EXPECT_EQ(shards.front().source, batch_of({3, 1, 2}).source);
}

TEST(ShardsTest, FewSentencesLeaveEmptyShards) {
  EXPECT_THAT(sentences(cut_into_shards(batch_of({4}), 4)), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(sentences(cut_into_shards(batch_of({4, 4}), 4)), ElementsAre(0, 1, 0, 1));
}

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
