#include "tensor/to_device.h"

#include <gtest/gtest.h>

#include "tests/support/device_test.h"
#include "tests/support/formula_tensor.h"
#include "tests/support/tensor_matchers.h"

namespace gloss {
namespace {

class ToDeviceTest : public DeviceTest {};

TEST_P(ToDeviceTest, CopiesValuesToTheDevice) {
  const auto tensor = formula_tensor({300, 40}, at::kCPU);
  const auto copy = to_device(tensor, device());
  EXPECT_EQ(copy.device().type(), device().type());
  EXPECT_THAT(copy.cpu(), SameAs(tensor));
  EXPECT_EQ(copy.is_same(tensor), device().is_cpu());
}

TEST_P(ToDeviceTest, VectorBecomesATensor) {
  const auto copy = to_device(std::vector<std::int64_t>{3, -1, std::int64_t{1} << 40}, device());
  EXPECT_EQ(copy.scalar_type(), at::kLong);
  EXPECT_EQ(copy.device().type(), device().type());
  ASSERT_EQ(copy.sizes(), at::IntArrayRef{3});
  EXPECT_EQ(copy[2].item<std::int64_t>(), std::int64_t{1} << 40);
  EXPECT_EQ(to_device(std::vector<std::int64_t>{}, device()).numel(), 0);
}

INSTANTIATE_DEVICES(ToDeviceTest);

}  // namespace
}  // namespace gloss
