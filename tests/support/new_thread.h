#pragma once

#include <thread>

#include <ATen/Parallel.h>

namespace gloss {

/// Returns LibTorch's number of threads for a thread that uses it for the first time.
inline int threads_of_a_new_thread() {
  int count = 0;
  std::thread([&count] { count = at::get_num_threads(); }).join();
  return count;
}

}  // namespace gloss
