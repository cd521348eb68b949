#include "common/system/parallel_for.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace gloss {

void parallel_for(std::int64_t count, int threads,
                  const std::function<void(std::int64_t begin, std::int64_t end)>& body) {
  threads = static_cast<int>(std::clamp<std::int64_t>(count, 1, std::max(threads, 1)));
  if (threads == 1) return body(0, count);
  const std::int64_t step = std::clamp<std::int64_t>(count / 8 / threads, 1, 256);
  std::atomic<std::int64_t> next = 0;
  std::mutex mutex;
  std::exception_ptr error;
  const auto work = [&] {
    try {
      for (std::int64_t begin = next.fetch_add(step); begin < count; begin = next.fetch_add(step))
        body(begin, std::min(begin + step, count));
    } catch (...) {
      next = count;
      const std::scoped_lock lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(threads - 1));
    try {
      for (int i = 1; i < threads; ++i) others.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads available: continue with the started ones
    }
    work();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace gloss
