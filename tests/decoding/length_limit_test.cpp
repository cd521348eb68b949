#include "decoding/length_limit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "decoding/search.h"
#include "tests/decoding/fake_scorer.h"

namespace gloss {
namespace {

using testing::AllOf;
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

}  // namespace
}  // namespace gloss
