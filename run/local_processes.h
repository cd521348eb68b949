#pragma once

#include <cstdint>

#include "common/error.h"

namespace gloss {

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
