#include "tokenizer/training_sample.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> taken(TrainingSample& sample) {
  std::vector<std::string> lines;
  for (std::string line; sample.take(line);) lines.push_back(line);
  return lines;
}

TEST(TrainingSampleTest, HasTheUsableLinesInOrder) {
  TrainingSample sample(10);
  sample.add("one", true);
  sample.add(" \t", true);
  sample.add("broken", false);
  sample.add(std::string(UnusableLines::kMaxLineBytes + 1, 'x'), true);
  sample.add("two words", true);
  EXPECT_EQ(sample.lines(), 5);
  EXPECT_THAT(sample.unusable().not_utf8.first_lines, ElementsAre(3));
  EXPECT_THAT(sample.unusable().too_long.first_lines, ElementsAre(4));
  EXPECT_THAT(taken(sample), ElementsAre("one", "two words"));
}

TEST(TrainingSampleTest, HoldsManyBlocks) {
  TrainingSample sample(1'000'000);
  std::vector<std::string> lines;
  for (int i = 0; i < 1000; ++i) lines.push_back(std::to_string(i) + std::string(4000, 'y'));
  for (const auto& line : lines) sample.add(line, true);
  EXPECT_EQ(taken(sample), lines);
}

TEST(TrainingSampleTest, OnlyCountsTheLinesOfALongText) {
  TrainingSample sample(2);
  for (int i = 0; i < 3; ++i) sample.add("line", true);
  EXPECT_FALSE(sample.complete());
  EXPECT_EQ(sample.lines(), 3);
  EXPECT_THAT(taken(sample), IsEmpty());
}

}  // namespace
}  // namespace gloss
