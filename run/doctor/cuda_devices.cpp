#include "run/doctor/cuda_devices.h"

#include <array>
#include <cstddef>
#include <utility>

#include <dlfcn.h>

namespace gloss {
namespace {

// Attributes of the CUDA driver API, whose numbers and signatures are stable.
constexpr int kCapabilityMajor = 75, kCapabilityMinor = 76;

/// Calls the function `name` of the library. Returns whether it exists and succeeds.
template <typename... Arguments>
bool call(void* library, const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library, name));
  return function != nullptr && function(arguments...) == 0;
}

}  // namespace

std::vector<CudaDevice> cuda_devices(const std::string& driver) {
  void* const library =
      ::dlopen(driver.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);  // the library may have threads
  std::vector<CudaDevice> devices;
  int count = 0;
  if (library == nullptr || !call(library, "cuInit", 0U) || !call(library, "cuDeviceGetCount", &count)) return devices;
  for (int i = 0; i < count; ++i) {
    int handle = 0;
    std::array<char, 256> name{};
    std::size_t memory = 0;
    CudaDevice device;
    if (!call(library, "cuDeviceGet", &handle, i) ||
        !call(library, "cuDeviceGetName", name.data(), static_cast<int>(name.size() - 1), handle) ||
        !call(library, "cuDeviceTotalMem_v2", &memory, handle) ||
        !call(library, "cuDeviceGetAttribute", &device.major, kCapabilityMajor, handle) ||
        !call(library, "cuDeviceGetAttribute", &device.minor, kCapabilityMinor, handle))
      continue;
    device.name = name.data();
    device.memory = static_cast<std::int64_t>(memory);
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace gloss
