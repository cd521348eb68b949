#include "model/alternatives/positions.h"

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

class RotaryPositionsTest : public DeviceTest {
 protected:
  // Dot product of one query and one key at these positions.
  double score(std::int64_t query, std::int64_t key) const {
    return (rotate(query_, query) * rotate(key_, key)).sum().item<double>();
  }

  const at::Tensor query_ = formula_tensor({1, 1, 1, 8}, device(), 1), key_ = formula_tensor({1, 1, 1, 8}, device(), 2);
};

TEST_P(RotaryPositionsTest, ScoresDependOnTheDistanceOnly) {
  EXPECT_NEAR(score(0, 3), score(20, 23), 1e-5);
  EXPECT_NEAR(score(5, 1), score(9, 5), 1e-5);
  EXPECT_GT(std::abs(score(0, 3) - score(0, 4)), 1e-3);
  EXPECT_GT(std::abs(score(0, 3) - score(3, 0)), 1e-3);
}

TEST_P(RotaryPositionsTest, TheFirstPositionStaysAndLengthsAreKept) {
  EXPECT_THAT(rotate(query_, 0), AllClose(query_, 1e-6));
  const auto many = formula_tensor({2, 3, 5, 8}, device());
  EXPECT_THAT(rotate(many, 7).norm(2, -1), AllClose(many.norm(2, -1), 1e-5));
}

TEST_P(RotaryPositionsTest, RowsAreAtConsecutivePositions) {
  const auto many = formula_tensor({2, 3, 5, 8}, device());
  EXPECT_THAT(rotate(many, 4).narrow(2, 3, 1), AllClose(rotate(many.narrow(2, 3, 1), 7), 1e-6));
}

INSTANTIATE_DEVICES(RotaryPositionsTest);

}  // namespace

}  // namespace gloss
