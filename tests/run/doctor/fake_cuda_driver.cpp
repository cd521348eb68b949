// Replaces libcuda.so.1 in machine_report_test: three devices; the second fails to report its memory.

#include <cstddef>
#include <cstdio>

extern "C" {

int cuInit(unsigned flags) { return flags == 0 ? 0 : 1; }

int cuDeviceGetCount(int* count) {
  *count = 3;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = 10 + ordinal;
  return 0;
}

int cuDeviceGetName(char* name, int room, int device) {
  std::snprintf(name, static_cast<std::size_t>(room), "Fake %d", device);
  return 0;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int device) {
  *bytes = std::size_t{16} << 30;
  return device == 11 ? 999 : 0;
}

int cuDeviceGetAttribute(int* value, int attribute, int device) {
  constexpr int kMajor = 75, kMinor = 76;
  if (attribute != kMajor && attribute != kMinor) return 1;
  *value = attribute == kMajor ? (device == 10 ? 7 : 9) : 5;
  return 0;
}
}
