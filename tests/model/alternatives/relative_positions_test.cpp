#include "model/alternatives/relative_positions.h"

#include <ATen/core/grad_mode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class RelativePositionsTest : public DeviceTest {
 protected:
  static RelativePositions positions(bool both_directions) {
    RelativePositions positions(3, both_directions);
    positions->to(device());
    const at::NoGradGuard no_grad;
    for (auto& weight : positions->parameters()) weight.copy_(formula_tensor(weight.sizes(), device()));
    return positions;
  }
};

TEST_P(RelativePositionsTest, BiasesDependOnTheDistanceOnly) {
  for (const bool both : {true, false}) {
    const auto biases = positions(both)(6, 6);  // [H, T, S]
    EXPECT_THAT(biases.narrow(1, 0, 5).narrow(2, 0, 5), SameAs(biases.narrow(1, 1, 5).narrow(2, 1, 5)));
    EXPECT_EQ(biases.select(1, 2).select(1, 3).equal(biases.select(1, 2).select(1, 4)), !both);  // later keys
    EXPECT_FALSE(biases.select(1, 4).select(1, 3).equal(biases.select(1, 4).select(1, 2)));
  }
}

TEST_P(RelativePositionsTest, QueriesAreTheLastPositions) {
  auto relative = positions(false);
  EXPECT_THAT(relative(2, 7), SameAs(relative(7, 7).narrow(1, 5, 2)));
}

INSTANTIATE_DEVICES(RelativePositionsTest);

}  // namespace
}  // namespace gloss
