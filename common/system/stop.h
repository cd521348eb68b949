#pragma once

#include "common/error.h"

namespace gloss {

/// Thrown to abandon work after a signal (common/system/signals.h). Unfinished results are discarded.
struct Stopped final : Error {
  explicit Stopped(ExitCode of_signal) : Error(of_signal, "stopped by a signal") {}
};

/// Throws Stopped if a signal has requested the end.
void stop_where_requested();

/// While an object lives, stop_where_requested() does nothing: the processes of a run stop where all have agreed to.
class HoldStops {
 public:
  HoldStops();
  ~HoldStops();
  HoldStops(const HoldStops&) = delete;
  HoldStops& operator=(const HoldStops&) = delete;
};

}  // namespace gloss
