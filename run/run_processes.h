#pragma once

#include <cstdint>

#include <c10/core/Device.h>

#include "common/error.h"
#include "run/config/run_config.h"
#include "training/processes/exchange.h"

namespace gloss {

/// The processes of a run before its first step. Process 0 reads the texts and writes the folder; the others wait for
/// it, and fail if it fails.
class RunProcesses {
 public:
  /// `exchange` outlives it.
  explicit RunProcesses(Exchange& exchange) : exchange_(&exchange) {}

  /// Compares settings, program, processor and kind of device of all processes. Then process 0 returns, and the others
  /// wait until it calls `release`. Throws as expect_equal_start if they differ, and ReportedError if process 0 failed.
  void begin(const RunConfig& config, at::Device device);
  /// Process 0: lets the waiting processes continue, or fail with `code`. Does nothing if none waits.
  void release(ExitCode code = ExitCode::kDone);
  /// Handles an error that is being thrown: the waiting processes fail with its code. Throws ReportedError instead of a
  /// DivergedError on all processes but the first, since all have the same loss.
  void fail(const Error& fault);

 private:
  /// Returns the code that process 0 sends; each process calls it once.
  ExitCode code_of_first(ExitCode code);

  Exchange* exchange_;
  bool others_wait_ = false;  ///< on process 0
};

/// Starts this program `count` times with its own arguments, as the processes of one run on this machine, and waits for
/// all. They find each other by the variables of torchrun (common/system/process_place.h). A signal to this process is
/// passed on. If one fails, the others end by themselves; those that do not end within 8 seconds are killed. Returns
/// the exit code of the first that failed by itself; kLostProcess if one was killed. Throws IoError if one cannot be
/// started.
ExitCode run_local_processes(std::int64_t count);

/// Follows the starter in a process that run_local_processes has started. The process stops if the starter ends, and
/// handles a signal that reaches both as one.
void follow_starter();

}  // namespace gloss
