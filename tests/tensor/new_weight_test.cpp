#include "tensor/new_weight.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(NewWeightTest, HasItsValueEverywhere) {
  const auto zeros = new_weight({2, 3}), ones = new_weight({4}, 1);
  EXPECT_THAT(zeros.sizes(), testing::ElementsAre(2, 3));
  EXPECT_EQ(zeros.scalar_type(), at::kFloat);
  EXPECT_EQ(zeros.abs().sum().item<float>(), 0);
  EXPECT_EQ(ones.sum().item<float>(), 4);
}

TEST(NewWeightTest, HasAShapeOnlyWhileTheThreadWantsNoMore) {
  constexpr std::int64_t kTooLarge = std::int64_t{1} << 28;
  {
    const ShapesOnly outer;
    EXPECT_THAT(new_weight({kTooLarge, kTooLarge}).sizes(), testing::ElementsAre(kTooLarge, kTooLarge));
    { const ShapesOnly inner; }
    EXPECT_TRUE(new_weight({2}).is_meta());
    std::thread([] { EXPECT_TRUE(new_weight({2}).is_cpu()); }).join();
  }
  EXPECT_TRUE(new_weight({2}).is_cpu());
}

}  // namespace
}  // namespace gloss
