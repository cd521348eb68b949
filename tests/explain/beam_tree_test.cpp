#include "explain/beam_tree.h"

#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "tests/decoding/fake_scorer.h"

namespace gloss {
namespace {

using Node = BeamTree::Node;
constexpr std::int64_t kVocabulary = 12;

class BeamTreeTest : public testing::Test {
 protected:
  /// The tokens on the way to a node.
  static Ids path(const BeamTree& tree, std::int64_t node) {
    Ids ids;
    for (; node >= 0; node = tree.nodes()[static_cast<std::size_t>(node)].parent)
      ids.insert(ids.begin(), tree.nodes()[static_cast<std::size_t>(node)].id);
    return ids;
  }

  FakeScorer scorer_{random_rule(kVocabulary), kVocabulary, at::kCPU};
  Ids source_{5, 6, 7, kEos};
  DecodingConfig config_{.beam_size = 3, .max_length = 12};
};

TEST_F(BeamTreeTest, TheBestPathIsTheTranslationOfTheSearch) {
  const auto found = beam_search(scorer_, pad(std::array{source_}, at::kCPU), config_).front().front();
  const BeamTree tree(scorer_, source_, config_);
  EXPECT_EQ(tree.best().ids, found.ids);
  EXPECT_EQ(tree.best().score, found.score);
  Ids best;
  for (const auto& node : tree.nodes())
    if (node.best) best.push_back(node.id);
  auto wanted = found.ids;
  if (found.ended) wanted.push_back(kEos);
  EXPECT_EQ(best, wanted);
}

TEST_F(BeamTreeTest, EachStepKeepsAtMostTheBeamAndConsidersTwiceAsMany) {
  const BeamTree tree(scorer_, source_, config_);
  std::map<std::int64_t, std::int64_t> live, considered;
  for (const auto& node : tree.nodes()) {
    ++considered[node.step];
    live[node.step] += node.state == Node::State::kLive;
  }
  ASSERT_FALSE(considered.empty());
  for (const auto& [step, count] : considered) EXPECT_LE(count, 2 * config_.beam_size) << step;
  for (const auto& [step, count] : live) EXPECT_LE(count, config_.beam_size) << step;
  EXPECT_TRUE(std::ranges::any_of(tree.nodes(), [](const auto& node) { return node.state == Node::State::kPruned; }));
  EXPECT_TRUE(std::ranges::any_of(tree.nodes(), [](const auto& node) { return node.state == Node::State::kFinished; }));
}

TEST_F(BeamTreeTest, SumsAndScoresFollowFromTheTokensOfThePath) {
  const BeamTree tree(scorer_, source_, config_);
  for (std::size_t i = 0; i < tree.nodes().size(); ++i) {
    const auto& node = tree.nodes()[i];
    const auto before = node.parent < 0 ? 0.0 : tree.nodes()[static_cast<std::size_t>(node.parent)].log_probability;
    EXPECT_NEAR(node.log_probability, before + node.token_log_probability, 1e-5);
    if (node.parent >= 0) {
      EXPECT_EQ(tree.nodes()[static_cast<std::size_t>(node.parent)].state, Node::State::kLive);
      EXPECT_EQ(tree.nodes()[static_cast<std::size_t>(node.parent)].step, node.step - 1);
    }
    if (node.state == Node::State::kFinished) {
      const auto length = std::ssize(path(tree, static_cast<std::int64_t>(i)));
      EXPECT_NEAR(node.score, length_normalized(node.log_probability, length, config_), 1e-9);
    }
  }
}

}  // namespace
}  // namespace gloss
