#include "run/doctor/cuda_devices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gloss {
namespace {

using testing::IsEmpty;
using testing::SizeIs;

TEST(CudaDevicesTest, TheDriverNamesThemAndOneThatFailsIsLeftOut) {
  const auto devices = cuda_devices(GLOSS_FAKE_CUDA_DRIVER);
  ASSERT_THAT(devices, SizeIs(2));
  EXPECT_EQ(devices[0].name, "Fake 10");
  EXPECT_EQ(devices[0].memory, std::int64_t{16} << 30);
  EXPECT_EQ(devices[0].major, 7);
  EXPECT_EQ(devices[0].minor, 5);
  EXPECT_FALSE(devices[0].has_bfloat16());
  EXPECT_EQ(devices[1].name, "Fake 12");
  EXPECT_EQ(devices[1].major, 9);
  EXPECT_TRUE(devices[1].has_bfloat16());
}

TEST(CudaDevicesTest, WithoutADriverThereAreNone) {
  EXPECT_THAT(cuda_devices("libcuda_that_is_not_there.so"), IsEmpty());
  EXPECT_THAT(cuda_devices("libm.so.6"), IsEmpty()) << "a library without its functions";
}

}  // namespace
}  // namespace gloss
