#pragma once

#include <optional>

#include "common/error.h"

namespace gloss {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP (the terminal is gone) is only noted, so that a loop can finish
/// its step and save; a second one ends the process at once with the signal's exit code, SIGHUP's being SIGTERM's. A
/// signal that the parent had ignored (nohup) stays so. One at a time.
class StopOnSignal {
 public:
  StopOnSignal();
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

/// The exit code of the signal that came, if one did.
std::optional<ExitCode> stop_requested();

/// A closed pipe, or the limit of a file's size, becomes an error of the write instead of the death of the process.
void let_writes_fail();

}  // namespace gloss
