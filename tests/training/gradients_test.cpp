#include "training/gradients.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <thread>
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
            .nll = at::full({}, shard + 1, at::device(device()).dtype(at::kDouble)),
            .tokens = shard + 1,
            .statistics = {}};
  }

  static float gradient(const ShardSums& sums) { return sums.gradients.at(0)[0].item<float>(); }
};

TEST_P(ShardTreeTest, SumsTheShardsAsATree) {
  ShardTree tree(5);
  for (std::int64_t i = 0; i < 5; ++i) tree.put(i, sums(i));
  const auto sum = tree.take();
  EXPECT_EQ(gradient(sum), ((value(0) + value(1)) + (value(2) + value(3))) + value(4));
  EXPECT_FALSE(sum.gradients.at(1).defined());
  EXPECT_EQ(sum.nll.item<double>(), 15);
  EXPECT_EQ(sum.tokens, 15);
}

TEST_P(ShardTreeTest, TheOrderOfTheShardsDoesNotMatter) {
  std::vector<std::int64_t> order(6);
  std::iota(order.begin(), order.end(), 0);
  std::vector<float> found;
  do {
    ShardTree tree(6);
    for (const auto i : order) tree.put(i, sums(i));
    found.push_back(gradient(tree.take()));
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(found.size(), 720U);
  EXPECT_EQ(std::ranges::count(found, found.front()), 720);
}

TEST_P(ShardTreeTest, StatisticsStandInTheOrderOfTheShards) {
  const auto running_mean = [&](const std::vector<std::int64_t>& order) {
    const auto running = at::zeros({1}, at::device(device()));
    ShardTree tree(4);
    for (const auto i : order) {
      auto each = sums(i);
      const auto mean = at::full({1}, i, at::device(device()));
      each.statistics.seen.push_back({running, mean});
      tree.put(i, std::move(each));
    }
    tree.take().statistics.update_running();
    return running.item<float>();
  };
  const auto wanted = running_mean({0, 1, 2, 3});
  EXPECT_NEAR(wanted, 0.1 * (3 + 0.9 * 2 + 0.81), 1e-6);  // the last counts most
  EXPECT_EQ(running_mean({1, 0, 3, 2}), wanted);
  EXPECT_EQ(running_mean({3, 2, 1, 0}), wanted);
}

TEST_P(ShardTreeTest, SeveralThreadsMayPut) {
  constexpr std::int64_t kShards = 24;
  const auto sum = [&](std::int64_t threads) {
    ShardTree tree(kShards);
    std::atomic<std::int64_t> arrived = 0;
    Workers(threads).run(kShards, [&](std::int64_t i) {
      auto each = sums(i);
      ++arrived;
      while (arrived < threads) std::this_thread::yield();  // the first puts come together
      tree.put(i, std::move(each));
    });
    return gradient(tree.take());
  };
  for (int trial = 0; trial < 20; ++trial) EXPECT_EQ(sum(3), sum(1));
}

TEST_P(ShardTreeTest, EmptyShardsAddNothing) {
  ShardTree tree(4);
  for (const std::int64_t i : {0, 2}) tree.put(i, {});
  for (const std::int64_t i : {1, 3}) tree.put(i, sums(i));
  const auto sum = tree.take();
  EXPECT_EQ(gradient(sum), value(1) + value(3));
  EXPECT_EQ(sum.tokens, 6);
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
