#include <set>

#include <gtest/gtest.h>

#include "interchange/model_family.h"

namespace gloss {
namespace {

// kSwiglu is the last one of the enumeration.
TEST(ActivationNamesTest, EveryActivationIsThereOnce) {
  ASSERT_EQ(kActivationNames.size(), static_cast<std::size_t>(Activation::kSwiglu) + 1);
  for (std::size_t i = 0; i < kActivationNames.size(); ++i) {
    const auto activation = static_cast<Activation>(i);
    EXPECT_EQ(activation_names(activation).activation, activation);
  }
}

TEST(ActivationNamesTest, ANameMeansOneActivation) {
  for (const auto program : {&ActivationNames::huggingface, &ActivationNames::marian}) {
    std::set<std::string_view> names;
    for (const auto& activation : kActivationNames) {
      const auto name = activation.*program;
      if (name) {
        EXPECT_TRUE(names.insert(*name).second) << *name;
      }
    }
  }
}

}  // namespace
}  // namespace gloss
