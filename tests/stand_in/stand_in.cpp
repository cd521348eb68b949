#include "tests/stand_in/stand_in.h"

#include <cstdlib>
#include <string_view>

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

std::string device_of_tests() {
  const char* const set = std::getenv("GLOSS_TEST_DEVICE");
  return set != nullptr && std::string_view(set) != "stand_in" ? set : use_stand_in();
}

}  // namespace gloss
