#pragma once

#include <string>

#include <ATen/Context.h>
#include <c10/core/Device.h>
#include <gtest/gtest.h>

namespace gloss {

/// A test that runs once a device: on the CPU, and on CUDA, where it is skipped on a machine without one.
class DeviceTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "cuda" && !has_cuda()) GTEST_SKIP() << "no CUDA device here";
  }

  /// The CPU too in a test that is about to be skipped, so that its members can be made.
  static at::Device device() { return has_cuda() ? at::Device(GetParam()) : at::Device(at::kCPU); }

 private:
  static bool has_cuda() { return at::globalContext().hasCUDA(); }
};

}  // namespace gloss

/// Makes the tests of a suite derived from DeviceTest.
#define INSTANTIATE_DEVICES(Suite)                                           \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, ::testing::Values("cpu", "cuda"), \
                           [](const ::testing::TestParamInfo<std::string>& device) { return device.param; })
