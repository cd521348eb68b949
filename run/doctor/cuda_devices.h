#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gloss {

/// Properties of a GPU, as reported by its driver.
struct CudaDevice {
  std::string name;
  std::int64_t memory = 0;   ///< bytes
  int major = 0, minor = 0;  ///< compute capability

  /// Returns whether the hardware multiplies bfloat16, from Ampere on.
  bool has_bfloat16() const { return major >= 8; }
};

/// Returns the devices that the driver's library reports for this process, in CUDA's order. The result is empty if the
/// library is missing or fails. LibTorch is not used, since it may be built without CUDA.
std::vector<CudaDevice> cuda_devices(const std::string& driver = "libcuda.so.1");

}  // namespace gloss
