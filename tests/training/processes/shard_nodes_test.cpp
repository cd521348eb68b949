#include "training/processes/shard_nodes.h"

#include <string>
#include <vector>

#include <ATen/Functions.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/gradients.h"

namespace gloss {
namespace {

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
