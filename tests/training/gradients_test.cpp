#include "training/gradients.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include "tensor/workers.h"
#include "tests/support/device_test.h"

namespace gloss {
namespace {

class ShardTreeTest : public DeviceTest {
 protected:
  /// Numbers whose sum depends on the order of the additions.
  static float value(std::int64_t shard) { return static_cast<float>(std::sin(shard + 1) * std::pow(10, shard % 5)); }

  ShardSums sums(std::int64_t shard) const {
    return {.gradients = {at::full({3}, value(shard), at::device(device())), at::Tensor()},
            .nll = at::full({}, shard, at::device(device()).dtype(at::kDouble)),
            .tokens = shard,
            .batch_statistics = {}};
  }

  static float gradient(const ShardSums& sums) { return sums.gradients.at(0)[0].item<float>(); }
};

TEST_P(ShardTreeTest, SumsABatchAsATreeAndBatchesInARow) {
  ShardTree tree(2, 5);
  for (std::int64_t i = 0; i < 10; ++i) tree.put(i / 5, i % 5, sums(i));
  const auto sum = tree.take();
  const auto of_batch = [&](std::int64_t first) {
    const auto v = [&](std::int64_t i) { return value(first + i); };
    return ((v(0) + v(1)) + (v(2) + v(3))) + v(4);
  };
  EXPECT_EQ(gradient(sum), of_batch(0) + of_batch(5));
  EXPECT_FALSE(sum.gradients.at(1).defined());
  EXPECT_EQ(sum.nll.item<double>(), 45);
  EXPECT_EQ(sum.tokens, 45);
}

TEST_P(ShardTreeTest, TheOrderOfTheShardsDoesNotMatter) {
  constexpr std::int64_t kBatches = 2, kShards = 3;
  std::vector<std::int64_t> order(kBatches * kShards);
  std::iota(order.begin(), order.end(), 0);
  std::vector<float> found;
  do {
    ShardTree tree(kBatches, kShards);
    for (const auto i : order) tree.put(i / kShards, i % kShards, sums(i));
    found.push_back(gradient(tree.take()));
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(found.size(), 720U);
  EXPECT_EQ(std::ranges::count(found, found.front()), 720);
}

TEST_P(ShardTreeTest, StatisticsOfBatchNormsStandInTheOrderOfTheShards) {
  const auto running_mean = [&](const std::vector<std::int64_t>& order) {
    BatchNorm norm(1);
    norm.to(device());
    ShardTree tree(1, 4);
    for (const auto i : order) {
      auto each = sums(i);
      const auto mean = at::full({1}, i, at::device(device()));
      each.batch_statistics.add(norm, mean, mean);
      tree.put(0, i, std::move(each));
    }
    tree.take().batch_statistics.update_running();
    return norm.running_mean().item<float>();
  };
  const auto wanted = running_mean({0, 1, 2, 3});
  EXPECT_NEAR(wanted, 0.1 * (3 + 0.9 * 2 + 0.81), 1e-6);  // the last counts most
  EXPECT_EQ(running_mean({1, 0, 3, 2}), wanted);
  EXPECT_EQ(running_mean({3, 2, 1, 0}), wanted);
}

TEST_P(ShardTreeTest, SeveralThreadsMayPut) {
  constexpr std::int64_t kBatches = 4, kShards = 7;
  const auto sum = [&](std::int64_t threads) {
    ShardTree tree(kBatches, kShards);
    Workers workers(threads);
    workers.run(kBatches * kShards, [&](std::int64_t i) { tree.put(i / kShards, i % kShards, sums(i)); });
    return gradient(tree.take());
  };
  for (int trial = 0; trial < 20; ++trial) EXPECT_EQ(sum(3), sum(1));
}

TEST_P(ShardTreeTest, EmptyShardsAddNothing) {
  ShardTree tree(1, 4);
  for (const std::int64_t i : {0, 2}) tree.put(0, i, {});
  for (const std::int64_t i : {1, 3}) tree.put(0, i, sums(i));
  const auto sum = tree.take();
  EXPECT_EQ(gradient(sum), value(1) + value(3));
  EXPECT_EQ(sum.tokens, 4);
}

TEST_P(ShardTreeTest, GradientsOfOneTensorAreNotAddedTwice) {
  const auto shared = at::ones({2}, at::device(device()));
  ShardSums first = sums(1), second = sums(2);
  first.gradients = {shared, shared};
  second.gradients = {shared, at::Tensor()};
  first.add(std::move(second));
  EXPECT_EQ(first.gradients.at(0)[0].item<float>(), 2);
  EXPECT_EQ(first.gradients.at(1)[0].item<float>(), 1);
}

INSTANTIATE_DEVICES(ShardTreeTest);

}  // namespace
}  // namespace gloss
