#pragma once

#include <cstdint>
#include <string>

namespace gloss {

/// Transfers, waits and kernels of all stand-in devices since the last reset_stand_in_counts().
struct StandInCounts {
  std::int64_t to_device = 0;         ///< copies from the host
  std::int64_t to_host = 0;           ///< copies to the host, single values included
  std::int64_t synchronizations = 0;  ///< waits of the host for the device
  std::int64_t kernels = 0;
};

/// Registers the stand-in devices, "stand_in:0" and "stand_in:1", as LibTorch's accelerator, unless there is a CUDA
/// device. Returns the name of the accelerator, "stand_in" or "cuda". A second call does nothing more. Call it before
/// the first tensor.
std::string use_stand_in();

/// Returns the name of the device of tests with the parameter "gpu": that of the environment variable
/// GLOSS_TEST_DEVICE, otherwise use_stand_in(). Call it before the first tensor.
std::string device_of_tests();

StandInCounts stand_in_counts();
void reset_stand_in_counts();

}  // namespace gloss
