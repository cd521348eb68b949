#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace gloss::study {

/// The least seconds of `repeat` calls, after one that is not counted.
template <typename F>
double best_seconds(std::int64_t repeat, F&& work) {
  using Clock = std::chrono::steady_clock;
  work();
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < repeat; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

}  // namespace gloss::study
