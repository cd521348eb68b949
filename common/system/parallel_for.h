#pragma once

#include <cstdint>
#include <functional>

namespace gloss {

/// Calls `body(begin, end)` for ranges that partition 0 to `count`, on up to `threads` threads, or fewer if the system
/// has no more. The assignment of ranges to threads is arbitrary, so a call may depend on its range only. An exception
/// of a call is rethrown after all threads have ended; of several, one.
void parallel_for(std::int64_t count, int threads,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace gloss
