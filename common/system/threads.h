#pragma once

namespace gloss {

/// Returns the number of processors that this process may use: those of its affinity, or the limit of its control
/// groups, rounded up; at least 1.
int available_processors();
/// Returns the number of processors of the machine.
int online_processors();

/// Starts `count` threads (1 or more, including the calling one), ends them again, and returns how many the system
/// allowed at the same time.
int threads_that_start(int count);

}  // namespace gloss
