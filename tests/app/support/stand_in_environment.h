#pragma once

#include <optional>
#include <string>

#include "tests/app/support/process.h"
#include "tests/support/device_test.h"

namespace gloss {

/// While it lives, the program finds the device kGpu, also where the stand-in device stands in for it.
class StandInEnvironment {
 private:
  std::optional<EnvironmentVariable> preload_ =
      kGpu == "cuda" ? std::nullopt : std::optional<EnvironmentVariable>(std::in_place, "LD_PRELOAD", GLOSS_STAND_IN);
};

}  // namespace gloss
