#include "data/hold_out.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "data/scan_texts.h"
#include "tests/support/temporary_folder.h"

namespace gloss {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

class HoldOutTest : public testing::Test {
 protected:
  static HoldOut choose(const Pairs& pairs) {
    HoldOutChoice choice;
    for (const auto& [source, target] : pairs) choice.add(source, target);
    return choice.choose();
  }
  static Pairs different(int count) {
    Pairs pairs;
    for (int i = 0; i < count; ++i) pairs.emplace_back("source " + std::to_string(i), "target " + std::to_string(i));
    return pairs;
  }
};

TEST_F(HoldOutTest, IsOneInAHundredAtLeastFiftyAndAtMostATenth) {
  for (const auto& [pairs, held_out] : std::vector<std::pair<std::int64_t, std::int64_t>>{{0, 0},
                                                                                          {9, 0},
                                                                                          {10, 1},
                                                                                          {200, 20},
                                                                                          {500, 50},
                                                                                          {5000, 50},
                                                                                          {20'000, 200},
                                                                                          {100'000, 1000},
                                                                                          {10'000'000, 1000}})
    EXPECT_EQ(pairs_to_hold_out(pairs), held_out) << pairs;
}

TEST_F(HoldOutTest, DoesNotDependOnTheOrderOfThePairs) {
  auto pairs = different(700);
  const auto held_out = choose(pairs);
  ASSERT_EQ(held_out.sources().size(), 50u);
  EXPECT_EQ(held_out.pairs_of_text(), 700);
  std::ranges::reverse(pairs);
  std::rotate(pairs.begin(), pairs.begin() + 123, pairs.end());
  const auto again = choose(pairs);
  EXPECT_EQ(again.sources(), held_out.sources());
  EXPECT_EQ(again.targets(), held_out.targets());
}

TEST_F(HoldOutTest, HasWholePairsOfTheText) {
  const auto pairs = different(700);
  const auto held_out = choose(pairs);
  std::int64_t contained = 0;
  for (const auto& [source, target] : pairs) contained += held_out.contains(source, target) ? 1 : 0;
  EXPECT_EQ(contained, std::ssize(held_out.sources()));
  for (std::size_t i = 0; i < held_out.sources().size(); ++i) {
    EXPECT_TRUE(held_out.contains(held_out.sources()[i], held_out.targets()[i]));
    EXPECT_FALSE(held_out.contains(held_out.sources()[i], "other"));
    EXPECT_EQ(held_out.targets()[i].substr(6), held_out.sources()[i].substr(6));
  }
}

// Every third source and every fifth target occur in several pairs, and some pairs twice.
TEST_F(HoldOutTest, NoHeldOutLineIsInAPairOfTheRest) {
  auto pairs = different(3000);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (i % 3 == 0) pairs[i].first = "source of many " + std::to_string(i % 100);
    if (i % 5 == 0) pairs[i].second = "target of many " + std::to_string(i % 100);
  }
  for (std::size_t i = 0; i < 1500; ++i) pairs.push_back(pairs[i]);
  const auto held_out = choose(pairs);
  ASSERT_EQ(held_out.sources().size(), 50u);
  std::set<std::string> sources, targets;
  std::int64_t left_out = 0;
  for (const auto& [source, target] : pairs) {
    if (held_out.contains(source, target)) {
      ++left_out;
      continue;
    }
    sources.insert(source);
    targets.insert(target);
  }
  EXPECT_GT(left_out, 50) << "repetitions are held out together";
  for (const auto& source : held_out.sources()) EXPECT_FALSE(sources.contains(source)) << source;
  EXPECT_EQ(held_out.targets().size(), held_out.sources().size());
  for (const auto& target : held_out.targets()) EXPECT_FALSE(targets.contains(target)) << target;
  EXPECT_EQ(std::set<std::string>(held_out.sources().begin(), held_out.sources().end()).size(), 50u);
}

TEST_F(HoldOutTest, TakesNoPairThatCannotBeTrainedOn) {
  auto pairs = different(40);
  for (int i = 0; i < 4000; ++i) pairs.emplace_back("only a source " + std::to_string(i), i % 2 == 0 ? "" : "\xff");
  const TemporaryFolder folder;
  {
    std::ofstream source(folder / "s"), target(folder / "t");
    for (const auto& [from, to] : pairs) {
      source << from << '\n';
      target << to << '\n';
    }
  }
  const auto held_out = *scan_texts(TextFiles{folder / "s", folder / "t"}, {.hold_out = true}).held_out;
  EXPECT_EQ(held_out.pairs_of_text(), 40);
  EXPECT_EQ(held_out.sources().size(), 4u);
  EXPECT_EQ(held_out.targets().size(), 4u);
  for (const auto& target : held_out.targets()) EXPECT_TRUE(target.starts_with("target")) << target;
}

TEST_F(HoldOutTest, TakesNoLineOfMoreThanAThousandBytes) {
  auto pairs = different(200);
  for (std::size_t i = 0; i < 150; ++i) pairs[i].second += std::string(1000, 'x');
  const auto held_out = choose(pairs);
  EXPECT_EQ(held_out.sources().size(), 20u);
  EXPECT_EQ(held_out.targets().size(), 20u);
  for (const auto& target : held_out.targets()) EXPECT_LE(target.size(), 1000u);
}

TEST_F(HoldOutTest, RepetitionsAreNeverMostOfTheText) {
  auto pairs = different(100);
  for (int i = 1; i < 901; ++i) pairs.push_back(pairs[0]);
  const auto rows = [&](const HoldOut& held_out) {
    return std::ranges::count_if(pairs, [&](const auto& pair) { return held_out.contains(pair.first, pair.second); });
  };
  EXPECT_EQ(choose(pairs).sources().size(), 10u) << "a tenth of the different pairs";
  EXPECT_EQ(rows(choose(pairs)), 10) << "which leave the pair of many lines in training";
  pairs.assign(500, {"again", "wieder"});
  EXPECT_EQ(rows(choose(pairs)), 0) << "nothing would be left to train on";
}

TEST_F(HoldOutTest, IsEmptyIfEveryPairSharesASide) {
  Pairs pairs;
  for (int i = 0; i < 100; ++i) pairs.emplace_back("yes", "ja " + std::to_string(i));
  EXPECT_TRUE(choose(pairs).sources().empty());
}

}  // namespace
}  // namespace gloss
