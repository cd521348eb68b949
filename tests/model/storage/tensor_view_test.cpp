#include "model/storage/tensor_view.h"

#include <limits>

#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "common/error.h"
#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class TensorViewTest : public DeviceTest {};

TEST_P(TensorViewTest, ValuesRoundTrip) {
  const auto x = formula_tensor({2, 3});
  const auto y = at::zeros({2, 3}, device());
  copy_into(y, view_of(x), "file", "name");
  EXPECT_THAT(y, SameAs(x));
}

TEST_P(TensorViewTest, ViewsRequirePlainTensors) {
  const auto x = formula_tensor({2, 3});
  EXPECT_EQ(view_of(x).bytes.size(), 24U);
  EXPECT_THROW(view_of(x.t()), ShapeError);
  EXPECT_THROW(view_of(x.to(at::kDouble)), ShapeError);
}

TEST_P(TensorViewTest, RejectsAnotherShapeAndValuesThatAreNotFinite) {
  const auto x = formula_tensor({2, 3});
  EXPECT_THAT(
      [&] {
        copy_into(formula_tensor({3, 2}, device()), view_of(x), "file", "name");
      },
      ThrowsMessage<ModelError>(HasSubstr("file: tensor name: wanted F32 [3, 2], got F32 [2, 3]")));
  x[1][2] = std::numeric_limits<float>::infinity();
  EXPECT_THAT(
      [&] {
        copy_into(formula_tensor({2, 3}, device()), view_of(x), "file", "name");
      },
      ThrowsMessage<ModelError>(HasSubstr("file: tensor name holds values that are not finite")));
}

INSTANTIATE_DEVICES(TensorViewTest);

}  // namespace
}  // namespace gloss
