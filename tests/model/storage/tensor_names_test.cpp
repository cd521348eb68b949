#include "model/storage/tensor_names.h"

#include <gtest/gtest.h>

#include "model/weights.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

TEST(TensorNamesTest, AreTheDocumentedOnes) {
  const std::string weight = "encoder.norm.weight";
  EXPECT_EQ(scale_name(weight), "encoder.norm.weight_scale");
  EXPECT_EQ(input_scale_name(weight), "encoder.norm.weight_input_scale");
  EXPECT_EQ(first_moment_name(weight), "adam.m.encoder.norm.weight");
  EXPECT_EQ(second_moment_name(weight), "adam.v.encoder.norm.weight");
  EXPECT_EQ(ema_name(weight), "ema.encoder.norm.weight");
}

TEST(TensorNamesTest, OnlyAWeightHasTheNameOfOne) {
  for (const auto& config : all_networks()) {
    for (const auto& [name, weight] : network_weights(config, {20, 20})) {
      EXPECT_TRUE(is_weight_name(name)) << name;
      for (const auto& other : {scale_name(name), input_scale_name(name), first_moment_name(name),
                                second_moment_name(name), ema_name(name)}) {
        EXPECT_FALSE(is_weight_name(other)) << other;
        EXPECT_EQ(is_ema_name(other), other == ema_name(name)) << other;
      }
    }
  }
  for (const auto* name : {"shortlist.offsets", "shortlist.tokens", "shortlist.always"}) {
    EXPECT_TRUE(is_shortlist_name(name)) << name;
    EXPECT_FALSE(is_weight_name(name)) << name;
  }
  for (const bool joint : {true, false})
    for (const auto& name : tokenizer_names(joint)) {
      EXPECT_TRUE(is_tokenizer_name(name)) << name;
      EXPECT_FALSE(is_weight_name(name)) << name;
    }
}

}  // namespace
}  // namespace gloss
