#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/epoch_stage.h"
#include "tests/data/letter_tokenizer.h"

namespace gloss {
namespace {

using testing::ElementsAre;

using Lengths = std::vector<std::pair<std::size_t, std::size_t>>;  // of source and target, eos included

ParallelCorpus corpus_of(const Lengths& lengths) {
  std::string source, target;
  for (const auto& [source_length, target_length] : lengths) {
    source += std::string(source_length - 1, 'x') + "\n";
    target += std::string(target_length - 1, 'y') + "\n";
  }
  const CorpusFiles files(source, target);
  const LetterTokenizer letters;
  return ParallelCorpus::read(files.source(), files.target(), letters, letters, {});
}

std::vector<Occurrence> all_of(const ParallelCorpus& corpus) {
  return occurrences_of(one_stage(corpus).front(), 0, corpus.size(), RandomStream(1, "run"));
}

Lengths in_order(const ParallelCorpus& corpus, std::int64_t batch_tokens) {
  Lengths lengths;
  for (const auto& batch : batches_by_length(corpus, batch_tokens))
    for (const auto pair : batch) lengths.emplace_back(corpus.source_length(pair), corpus.target_length(pair));
  return lengths;
}

std::vector<std::size_t> sizes(const ParallelCorpus& corpus, std::int64_t batch_tokens) {
  std::vector<std::size_t> sizes;
  for (const auto& batch : batches_by_length(corpus, batch_tokens)) sizes.push_back(batch.size());
  return sizes;
}

std::vector<std::size_t> sizes(const EpochOrder& order) {
  std::vector<std::size_t> sizes;
  for (std::int64_t i = 0; i < order.batches(); ++i) sizes.push_back(order.batch(i).size());
  return sizes;
}

TEST(EpochOrderTest, TheDifferenceOfTheSidesFallsAndRisesInTurn) {
  const auto corpus = corpus_of({{3, 5}, {6, 4}, {5, 2}, {6, 6}, {5, 5}, {2, 6}, {5, 3}});
  EXPECT_THAT(in_order(corpus, 1), ElementsAre(std::pair(5, 2), std::pair(5, 3), std::pair(5, 5), std::pair(3, 5),
                                               std::pair(2, 6), std::pair(6, 6), std::pair(6, 4)));
}

TEST(EpochOrderTest, ANewLengthThatIsASmallPartOfABatchBeginsTheNext) {
  Lengths lengths(20, {4, 4});
  lengths.resize(40, {5, 5});
  const auto corpus = corpus_of(lengths);
  EXPECT_THAT(sizes(corpus, 115), ElementsAre(20, 20));    // 3 of 23 are longer
  EXPECT_THAT(sizes(corpus, 130), ElementsAre(26, 14));    // 6 of 26
  EXPECT_THAT(sizes(corpus, 125), ElementsAre(20, 20));    // 5 of 25
  EXPECT_THAT(sizes(corpus, 80), ElementsAre(20, 16, 4));  // none fits
  EXPECT_THAT(sizes(corpus, 1000), ElementsAre(40));
}

TEST(EpochOrderTest, PairsOfEqualLengthsAndTheFirstBatchAreDrawn) {
  const auto corpus = corpus_of(Lengths(200, {3, 3}));
  std::set<std::vector<std::uint32_t>> orders;
  std::set<std::vector<std::size_t>> shapes;
  for (std::uint32_t epoch = 0; epoch < 10; ++epoch) {
    const EpochOrder order(lengths_in(corpus), all_of(corpus), 60, RandomStream(1, "run").at(epoch));
    std::vector<std::uint32_t> pairs;
    for (std::int64_t i = 0; i < order.batches(); ++i) {
      const auto batch = order.batch(i);
      EXPECT_LE(batch.size(), 20u);
      pairs.insert(pairs.end(), batch.begin(), batch.end());
    }
    orders.insert(pairs);
    auto shape = sizes(order);
    std::ranges::sort(shape);
    shapes.insert(shape);
    std::ranges::sort(pairs);
    for (std::uint32_t i = 0; i < 200; ++i) ASSERT_EQ(pairs[i], i);
  }
  EXPECT_EQ(orders.size(), 10u);
  EXPECT_GT(shapes.size(), 3u);
}

TEST(EpochOrderTest, PairsOfALengthComeInEveryOrderThatIsAllowed) {
  const auto orders = [](const Lengths& lengths) {
    const auto corpus = corpus_of(lengths);
    std::set<std::vector<std::uint32_t>> seen;
    for (std::uint32_t epoch = 0; epoch < 100; ++epoch) {
      const EpochOrder order(lengths_in(corpus), all_of(corpus), 1'000'000'000, RandomStream(1, "run").at(epoch));
      EXPECT_EQ(order.batches(), 1);
      seen.emplace(order.batch(0).begin(), order.batch(0).end());
    }
    return seen.size();
  };
  EXPECT_EQ(orders({{3, 3}, {3, 3}, {3, 3}}), 6u);
  EXPECT_EQ(orders({{3, 5}, {5, 5}, {5, 3}}), 2u) << "the difference of the sides falls or rises";
}

TEST(BatchesByLengthTest, HoldEveryPairOnceInOrderOfLength) {
  Lengths lengths;
  for (std::size_t i = 0; i < 300; ++i) lengths.emplace_back(2 + i * 7 % 13, 2 + i * 5 % 11);
  const auto corpus = corpus_of(lengths);
  std::vector<std::int64_t> indices;
  std::int64_t shortest = 0;
  for (const auto& batch : batches_by_length(corpus, 64)) {
    indices.insert(indices.end(), batch.begin(), batch.end());
    for (const auto index : batch) {
      const auto length = std::max(corpus.source_length(index), corpus.target_length(index));
      EXPECT_GE(length, shortest);
      shortest = length;
    }
    EXPECT_LE(shortest * std::ssize(batch), 64);
  }
  std::ranges::sort(indices);
  ASSERT_EQ(std::ssize(indices), corpus.size());
  for (std::int64_t i = 0; i < corpus.size(); ++i) EXPECT_EQ(indices[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace gloss
