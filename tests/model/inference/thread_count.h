#pragma once

#include <ATen/Parallel.h>

namespace gloss {

/// Sets the number of threads while it lives.
class ThreadCount {
 public:
  explicit ThreadCount(int threads) { at::set_num_threads(threads); }
  ~ThreadCount() { at::set_num_threads(before_); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  int before_ = at::get_num_threads();
};

}  // namespace gloss
