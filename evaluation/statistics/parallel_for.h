#pragma once

#include <cstdint>
#include <functional>

namespace gloss {

/// Calls `body(begin, end)` for ranges that together are 0 to `count`, each number in one of them, on up to `threads`
/// threads, fewer where the system has no more. Which thread takes which range is chance: what a call does must depend
/// on nothing but the range. What a call throws is thrown here when all threads have ended; of several, one.
void parallel_for(std::int64_t count, int threads,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body);

}  // namespace gloss
