#pragma once

namespace gloss {

/// The number of processors that this process may run on: its affinity, not the machine's count, or what control groups
/// leave of it, rounded up; at least 1.
int available_processors();

/// How many of `wanted` threads (1 or more), the calling one counted, the system gives this process at the same time:
/// that many are started, and ended again.
int threads_that_start(int wanted);

}  // namespace gloss
