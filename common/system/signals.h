#pragma once

#include <optional>

#include "common/error.h"

namespace gloss {

/// From now on SIGINT, SIGTERM and SIGHUP (the terminal is gone) end the process at once with the signal's exit code,
/// SIGHUP's being SIGTERM's. A signal that the parent had ignored (nohup) stays so.
void end_on_signal();

/// While it lives, the first of these signals is only noted, so that a loop can finish its step and save; a second one
/// ends the process at once. A signal that the parent had ignored stays so. One at a time.
class StopOnSignal {
 public:
  /// A process that still runs `seconds` after its first signal is ended then, whatever it is waiting for; 0: it is
  /// given all the time that it takes.
  explicit StopOnSignal(unsigned seconds = 0);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

/// For work that can be given up at any time: long enough to print the lines that are finished.
constexpr unsigned kSecondsToStop = 1;

/// The exit code of the signal that came, if one did.
std::optional<ExitCode> stop_requested();

/// A closed pipe, or the limit of a file's size, becomes an error of the write instead of the death of the process.
void let_writes_fail();

}  // namespace gloss
