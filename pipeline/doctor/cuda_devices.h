#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gloss {

/// A GPU as its driver describes it.
struct CudaDevice {
  std::string name;
  std::int64_t memory = 0;   ///< bytes
  int major = 0, minor = 0;  ///< compute capability

  /// Products of bfloat16 in hardware, from Ampere on.
  bool has_bfloat16() const { return major >= 8; }
};

/// The devices that the driver's library shows this process, in CUDA's order; none where there is no such library or it
/// fails. Asked without LibTorch, which may be built without CUDA.
std::vector<CudaDevice> cuda_devices(const std::string& driver = "libcuda.so.1");

}  // namespace gloss
