#include "model/alternatives/rotary_positions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

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
