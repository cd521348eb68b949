#pragma once

#include "common/error.h"

namespace gloss {

/// A signal asked for an end (common/system/signals.h) in the middle of something that now counts as not made.
struct Stopped final : Error {
  explicit Stopped(ExitCode of_signal) : Error(of_signal, "stopped by a signal") {}
};

/// Throws Stopped where a signal has asked for an end.
void stop_where_requested();

}  // namespace gloss
