#pragma once

#include <optional>

#include "common/error.h"

namespace gloss {

/// Makes SIGINT, SIGTERM and SIGHUP (closed terminal) end the process at once with the signal's exit code; SIGHUP has
/// that of SIGTERM. A signal that the parent process ignored (nohup) stays ignored.
void end_on_signal();

/// While an object lives, the first of these signals is only recorded, so that a loop can finish its step and save. A
/// second one ends the process at once. A signal that the parent process ignored stays ignored. Only one object at a
/// time.
class StopOnSignal {
 public:
  /// Ends the process `seconds` after its first signal if it still runs then, whatever it waits for. 0: no limit.
  explicit StopOnSignal(unsigned seconds = 0);
  ~StopOnSignal();
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
};

/// Limit for work that can be aborted at any time: long enough to print the finished lines.
constexpr unsigned kSecondsToStop = 1;

/// Returns the exit code of the signal that arrived, if any.
std::optional<ExitCode> stop_requested();

/// Records a stop with this exit code, unless one is recorded: another process of the run got a signal. A signal that
/// follows counts as the first, since it may have been sent to all processes of the run.
void request_stop(ExitCode code);

/// Ignores signals from the process `starter` that follow another signal. The starter passes on signals that may have
/// reached this process, too, as with killall.
void expect_passed_signals(int starter);

/// Makes writing to a closed pipe, or beyond the file size limit, an error of the write instead of the end of the
/// process.
void let_writes_fail();

}  // namespace gloss
