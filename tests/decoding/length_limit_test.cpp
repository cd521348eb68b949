#include "decoding/length_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/search.h"
#include "tests/decoding/fake_scorer.h"

namespace gloss {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class LengthLimitTest : public testing::Test {
 protected:
  std::int64_t limit(std::int64_t max_length, std::int64_t min_length) const {
    return length_limit({.max_length = max_length, .min_length = min_length}, scorer_);
  }

  FakeScorer scorer_{random_rule(kWords), kWords, at::kCPU, {.max_target_length = 8}};
};

TEST_F(LengthLimitTest, IsTheLowerOfTheTwo) {
  EXPECT_EQ(limit(5, 0), 5);
  EXPECT_EQ(limit(8, 8), 8);
  EXPECT_EQ(limit(4096, 0), 8);
  EXPECT_EQ(limit(4096, 7), 8);
}

TEST_F(LengthLimitTest, AMinimumBeyondTheModelsLimitIsRefused) {
  for (const std::int64_t least : {8, 9, 4096})
    EXPECT_THAT([&] { limit(4096, least); },
                ThrowsMessage<UsageError>(AllOf(HasSubstr("decoding.min_length: wanted less than the 8 tokens"),
                                                HasSubstr(std::to_string(least)))));
  DecodingConfig config{.beam_size = 1, .max_length = 20, .min_length = 9};
  EXPECT_THROW(greedy_search(scorer_, sources(1, at::kCPU), config), UsageError);
  config.beam_size = 2;
  EXPECT_THROW(beam_search(scorer_, sources(1, at::kCPU), config), UsageError);
}

TEST_F(LengthLimitTest, MayDependOnTheSource) {
  const std::vector<std::int64_t> sources = {1, 2, 5};
  const auto limits = [&](double factor, std::int64_t max_length, std::int64_t min_length) {
    return length_limits({.max_length = max_length, .max_length_factor = factor, .min_length = min_length}, scorer_,
                         sources, {});
  };
  EXPECT_THAT(limits(0, 7, 0), ElementsAre(7, 7, 7));
  EXPECT_THAT(limits(1.25, 7, 0), ElementsAre(2, 3, 7));
  EXPECT_THAT(limits(0.1, 7, 0), ElementsAre(1, 1, 1));
  EXPECT_THAT(limits(1, 7, 3), ElementsAre(4, 4, 5)) << "there is room for the minimum and eos";
}

TEST_F(LengthLimitTest, CutsNoPrefix) {
  const std::vector<Ids> prefixes = {{}, Ids(5, kA), Ids(20, kA)};
  EXPECT_THAT(length_limits({.max_length = 3}, scorer_, std::vector<std::int64_t>{4, 4, 4}, prefixes),
              ElementsAre(3, 5, 8));
  const DecodingConfig config{.beam_size = 1, .max_length = 2};
  const auto found = greedy_search(scorer_, sources(1, at::kCPU), config, {.prefixes = {{kB, kA, kC}}}).at(0);
  EXPECT_EQ(found.ids, (Ids{kB, kA, kC}));
}

}  // namespace
}  // namespace gloss
