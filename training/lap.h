#pragma once

#include <chrono>
#include <utility>

namespace gloss {

/// A stopwatch: returns the seconds since the last call, at first since its construction.
class Lap {
 public:
  double operator()() {
    const auto before = std::exchange(last_, std::chrono::steady_clock::now());
    return std::chrono::duration<double>(last_ - before).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace gloss
