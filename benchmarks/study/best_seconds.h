#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace gloss::study {

/// The least seconds of `repeat` calls, after one that is not counted.
template <typename F>
double best_seconds(std::int64_t repeat, F&& work) {
  work();
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace gloss::study
