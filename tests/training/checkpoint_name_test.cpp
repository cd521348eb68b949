#include "training/checkpoint_name.h"

#include <gtest/gtest.h>

namespace gloss {
namespace {

TEST(CheckpointNameTest, HasEightDigitsOrMore) {
  EXPECT_EQ(checkpoint_name(0), "step-00000000.safetensors");
  EXPECT_EQ(checkpoint_name(1234), "step-00001234.safetensors");
  EXPECT_EQ(checkpoint_name(12345678901), "step-12345678901.safetensors");
}

TEST(CheckpointNameTest, ReadsBackItsStep) {
  for (const std::int64_t step : {0LL, 7LL, 99'999'999LL, 100'000'000LL, 4'294'967'295LL})
    EXPECT_EQ(checkpoint_step(checkpoint_name(step)), step);
}

TEST(CheckpointNameTest, OtherFilesHaveNoStep) {
  for (const auto* name : {"", "best.safetensors", "step-.safetensors", "step-1234567.safetensors",
                           "step-0000001x.safetensors", "step--0000001.safetensors", "step-00000001.safetensors.tmp",
                           "step-00000001", "x-step-00000001.safetensors", "step-99999999999999999999.safetensors"})
    EXPECT_EQ(checkpoint_step(name), std::nullopt) << name;
}

}  // namespace
}  // namespace gloss
