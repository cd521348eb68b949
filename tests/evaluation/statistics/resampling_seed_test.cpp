#include "evaluation/statistics/resampling_seed.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"

namespace gloss {
namespace {

using testing::ElementsAre;

TEST(ResamplingSeedTest, IsANumberOfAnySize) {
  EXPECT_THAT(ResamplingSeed::parse("12345")->words, ElementsAre(12345));
  EXPECT_THAT(ResamplingSeed::parse("4294967296")->words, ElementsAre(0, 1));
  EXPECT_THAT(ResamplingSeed::parse("340282366920938463463374607431768211456")->words, ElementsAre(0, 0, 0, 0, 1));
}

TEST(ResamplingSeedTest, IsParsedLikePythonInt) {
  const auto seed = ResamplingSeed::parse(" +0_012_345\n").value();
  EXPECT_THAT(seed.words, ElementsAre(12345));
  EXPECT_EQ(seed.number, "12345");
  EXPECT_EQ(seed.text, " +0_012_345\n");
  EXPECT_EQ(ResamplingSeed::parse("-0")->number, "0");
  for (const auto* wrong : {"", " ", "x", "1x", "1.0", "_1", "1_", "1__2", "+-1", "-1", "1 2", "0x10", "nones"})
    EXPECT_FALSE(ResamplingSeed::parse(wrong)) << wrong;
}

TEST(ResamplingSeedTest, NoneDiffersEachTime) {
  const auto seed = ResamplingSeed::parse("None").value();
  EXPECT_EQ(seed.text, "none");
  EXPECT_EQ(seed.number, "none");
  EXPECT_EQ(seed.words.size(), 4u);
  EXPECT_NE(seed.words, ResamplingSeed::parse("NONE")->words);
}

TEST(ResamplingSeedTest, ComesFromTheEnvironment) {
  ::unsetenv("SACREBLEU_SEED");
  EXPECT_EQ(ResamplingSeed::from_environment().text, "12345");
  ::setenv("SACREBLEU_SEED", "99", 1);
  EXPECT_THAT(ResamplingSeed::from_environment().words, ElementsAre(99));
  ::setenv("SACREBLEU_SEED", "many", 1);
  EXPECT_THAT([] { ResamplingSeed::from_environment(); },
              testing::ThrowsMessage<UsageError>(testing::HasSubstr("SACREBLEU_SEED")));
  ::unsetenv("SACREBLEU_SEED");
}

}  // namespace
}  // namespace gloss
