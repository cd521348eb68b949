#include "model/padding.h"

#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::ElementsAre;

class PaddingTest : public DeviceTest {
 protected:
  static at::Tensor ids(std::initializer_list<std::int64_t> values, at::IntArrayRef shape) {
    return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong).view(shape).to(device());
  }
};

TEST_P(PaddingTest, FillsUpBehindEachRow) {
  const auto batch = pad(std::vector<std::vector<std::int32_t>>{{5, 6, 3}, {}, {7, 3}}, device());
  EXPECT_THAT(batch.ids, SameAs(ids({5, 6, 3, 0, 0, 0, 7, 3, 0}, {3, 3})));
  EXPECT_THAT(batch.lengths, ElementsAre(3, 0, 2));
  EXPECT_EQ(batch.ids.scalar_type(), at::kLong);
  EXPECT_EQ(batch.ids.device().type(), device().type());
}

TEST_P(PaddingTest, IsOneWideWhereEveryRowIsEmpty) {
  EXPECT_THAT(pad(std::vector<std::vector<std::int32_t>>{{}}, device()).ids, SameAs(ids({0}, {1, 1})));
}

TEST_P(PaddingTest, DecoderInputIsTheLabelsOnePositionLater) {
  const auto target = shift_target(std::vector<std::vector<std::int32_t>>{{5, 6, 3}, {7, 3}}, device());
  EXPECT_THAT(target.input.ids, SameAs(ids({2, 5, 6, 2, 7, 0}, {2, 3})));
  EXPECT_THAT(target.labels, SameAs(ids({5, 6, 3, 7, 3, 0}, {2, 3})));
  EXPECT_THAT(target.input.lengths, ElementsAre(3, 2));
}

INSTANTIATE_DEVICES(PaddingTest);

}  // namespace
}  // namespace gloss
