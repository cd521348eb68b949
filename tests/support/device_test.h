#pragma once

#include <string>

#include <ATen/Context.h>
#include <c10/core/Device.h>
#include <gtest/gtest.h>

#include "tests/stand_in/stand_in.h"

namespace gloss {

/// Type of the device of tests with the parameter "gpu". It is there before the first tensor.
inline const std::string kGpu = device_of_tests();

/// A test that runs once a device: on the CPU, and on a GPU. Without one the stand-in device stands in for it.
class DeviceTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "gpu" && !has_gpu()) FAIL() << "GLOSS_TEST_DEVICE: LibTorch finds no device " << kGpu << " here";
  }

  /// The CPU too in a test that is about to fail, so that its members can be made.
  static at::Device device() {
    return at::Device(GetParam() == "cpu" || !has_gpu() ? std::string("cpu") : kGpu + ":0");
  }

 private:
  static bool has_gpu() { return kGpu != "cuda" || at::globalContext().hasCUDA(); }
};

}  // namespace gloss

/// Makes the tests of a suite derived from DeviceTest.
#define INSTANTIATE_DEVICES(Suite)                                          \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, ::testing::Values("cpu", "gpu"), \
                           [](const ::testing::TestParamInfo<std::string>& device) { return device.param; })
