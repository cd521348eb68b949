#include "training/gradients.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
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

using testing::ElementsAre;
using testing::IsEmpty;

/// The order of a tree's sums as text: "((0+1)+2)".
std::string order_of(std::int64_t shards, std::int64_t processes) {
  std::vector<ShardNode> nodes;
  std::vector<std::string> texts;
  for (std::int64_t p = 0; p < processes; ++p) {
    for (const auto& node : nodes_of_process(shards, p, processes)) {
      nodes.push_back(node);
      // Each process adds the shards of a node as a tree of its own.
      std::vector<ShardNode> leaves;
      std::vector<std::string> numbers;
      for (std::int64_t i = 0; i < node.count; ++i) {
        leaves.push_back({i, 1});
        numbers.push_back(std::to_string(node.first + i));
      }
      texts.push_back(sum_of_nodes<std::string>(node.count, leaves, numbers,
                                                [](const auto& a, const auto& b) { return "(" + a + "+" + b + ")"; }));
    }
  }
  return sum_of_nodes<std::string>(shards, nodes, texts,
                                   [](const auto& a, const auto& b) { return "(" + a + "+" + b + ")"; });
}

TEST(ShardNodesTest, ProcessesHaveTheLargestNodesOfTheirShards) {
  EXPECT_THAT(nodes_of_process(4, 0, 1), ElementsAre(ShardNode{0, 4}));
  EXPECT_THAT(nodes_of_process(4, 1, 2), ElementsAre(ShardNode{2, 2}));
  EXPECT_THAT(nodes_of_process(8, 0, 3), ElementsAre(ShardNode{0, 2}));
  EXPECT_THAT(nodes_of_process(8, 1, 3), ElementsAre(ShardNode{2, 2}, ShardNode{4, 1}));
  EXPECT_THAT(nodes_of_process(8, 2, 3), ElementsAre(ShardNode{5, 1}, ShardNode{6, 2}));
  EXPECT_THAT(nodes_of_process(6, 1, 2), ElementsAre(ShardNode{3, 1}, ShardNode{4, 2})) << "an odd level";
  EXPECT_THAT(nodes_of_process(2, 0, 3), IsEmpty());
}

TEST(ShardNodesTest, OrderIsThatOfTheTreeForAnyNumberOfProcesses) {
  EXPECT_EQ(order_of(5, 1), "(((0+1)+(2+3))+4)");
  for (std::int64_t shards = 1; shards <= 17; ++shards)
    for (std::int64_t processes = 1; processes <= shards; ++processes)
      EXPECT_EQ(order_of(shards, processes), order_of(shards, 1)) << shards << " shards, " << processes;
}

TEST(ShardNodesTest, OrderIsThatOfShardTree) {
  // Numbers of very different size: another order of the sums gives another number.
  const auto value = [](std::int64_t i) {
    return (i % 3 == 0 ? 1e16 : 1.0) * static_cast<double>(i + 1) * (i % 2 ? -1 : 1);
  };
  for (std::int64_t shards = 1; shards <= 17; ++shards) {
    ShardTree tree(shards);
    std::vector<ShardNode> leaves;
    std::vector<double> values;
    for (std::int64_t i = 0; i < shards; ++i) {
      tree.put(i, {.gradients = {at::scalar_tensor(value(i), at::kDouble)},
                   .nll = at::scalar_tensor(0, at::kDouble),
                   .tokens = 1,
                   .statistics = {}});
      leaves.push_back({i, 1});
      values.push_back(value(i));
    }
    const auto sum = sum_of_nodes<double>(shards, leaves, values, [](double a, double b) { return a + b; });
    EXPECT_EQ(tree.take().gradients.front().item<double>(), sum) << shards;
  }
}

}  // namespace

}  // namespace gloss
