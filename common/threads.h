#pragma once

namespace gloss {

/// The number of processors that this process may run on: its affinity, not the machine's count, or what control groups
/// leave of it, rounded up; at least 1.
int available_processors();

}  // namespace gloss
