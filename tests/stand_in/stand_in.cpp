#include "tests/stand_in/stand_in.h"

#include <cstdlib>

#include <ATen/Context.h>
#include <c10/core/DeviceType.h>

#include "tests/stand_in/registration.h"

namespace gloss {

std::string use_stand_in() {
  static const bool registered = [] {
    if (at::globalContext().hasCUDA()) return false;
    c10::register_privateuse1_backend("stand_in");
    stand_in::register_device();
    stand_in::register_operators();
    stand_in::register_attention();
    stand_in::register_autocast();
    stand_in::register_variable_hooks();
    return true;
  }();
  return registered ? "stand_in" : "cuda";
}

std::string device_of_tests(bool uses_stand_in) {
  const char* const set = std::getenv("GLOSS_TEST_DEVICE");
  const std::string device = set != nullptr ? set : uses_stand_in ? "stand_in" : "cuda";
  return device == "stand_in" ? use_stand_in() : device;
}

bool requires_device() { return std::getenv("GLOSS_TEST_DEVICE") != nullptr; }

}  // namespace gloss
