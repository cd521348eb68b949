#include "model/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "model/encoder.h"
#include "tests/support/small_model.h"

namespace gloss {
namespace {

TEST(SitedModuleTest, SitesAreThePathsOfTheModules) {
  for (const auto& config : all_networks()) {
    const auto model = small_model(at::kCPU, config);
    int sited = 0;
    for (const auto& item : model->named_modules(/*name_prefix=*/{}, /*include_self=*/false)) {
      const auto* const module = dynamic_cast<const SitedModule*>(item.value().get());
      if (module == nullptr) continue;
      EXPECT_EQ(module->site(), item.key());
      ++sited;
    }
    EXPECT_GT(sited, config.has_cross_attention() ? 0 : -1) << describe(config);
  }
}

// Otherwise all layers would drop the same elements.
TEST(SitedModuleTest, DropoutWithoutASiteIsRefused) {
  Encoder encoder(small_config());
  const RandomStream random(1, "dropout");
  const Pass training{.training = true, .random = &random};
  const auto run = [&] { encoder(formula_tensor({1, 3, 16}), Mask::unmasked(), training); };
  EXPECT_THAT(run, testing::ThrowsMessage<Error>(testing::HasSubstr("call set_sites")));
  set_sites(*encoder);
  EXPECT_NO_THROW(run());
}

}  // namespace
}  // namespace gloss
