#include "tensor/accelerator.h"

#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include "tests/support/device_test.h"

namespace gloss {
namespace {

class AcceleratorTest : public DeviceTest {};

TEST_P(AcceleratorTest, IsEveryDeviceButTheHost) {
  EXPECT_EQ(is_accelerator(device()), !device().is_cpu());
  EXPECT_FALSE(is_accelerator(at::kMeta));
  EXPECT_GE(accelerators(), 1);
}

TEST_P(AcceleratorTest, AfterAWaitItsCopiesHaveArrived) {
  const auto copy = at::ones({1000}, device()).mul(3).to(at::kCPU, /*non_blocking=*/true);
  wait_for_device(device());
  EXPECT_EQ(copy.sum().item<float>(), 3000);
}

INSTANTIATE_DEVICES(AcceleratorTest);

}  // namespace
}  // namespace gloss
