#pragma once

#include <cstdlib>
#include <string>

#include <ATen/Context.h>
#include <c10/core/Device.h>
#include <gtest/gtest.h>

#include "tests/stand_in/stand_in.h"

namespace gloss {

/// Type of the device of tests with the parameter "gpu". It is there before the first tensor. Programs without
/// GLOSS_USES_STAND_IN need a CUDA device, unless the environment has GLOSS_TEST_STAND_IN.
#ifdef GLOSS_USES_STAND_IN
inline const std::string kGpu = use_stand_in();
#else
inline const std::string kGpu = std::getenv("GLOSS_TEST_STAND_IN") != nullptr ? use_stand_in() : "cuda";
#endif

/// A test that runs once a device: on the CPU, and on a GPU, for which the stand-in device may stand in. It is skipped
/// without any.
class DeviceTest : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (GetParam() == "gpu" && !has_gpu()) GTEST_SKIP() << "no GPU here";
  }

  /// The CPU too in a test that is about to be skipped, so that its members can be made.
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
