#include "tensor/thread_count.h"

#include <cstdint>

#include <ATen/Parallel.h>
#include <omp.h>

/// MKL's number of threads for the calling thread, 0 for that of the process. Returns the former one. A LibTorch
/// without MKL has no such function.
extern "C" int MKL_Set_Num_Threads_Local(int threads) __attribute__((weak));

namespace gloss {
namespace {

int set_mkl_threads(int threads) {
  return MKL_Set_Num_Threads_Local == nullptr ? 0 : MKL_Set_Num_Threads_Local(threads);
}

// Returns the calling thread's number of threads. A thread's first call sets that of the process. LibTorch's operations
// and our loops each have a first call, since the function that does it is inline.
int current_threads() {
  at::parallel_for(0, 1, 1, [](std::int64_t, std::int64_t) {});
  return at::get_num_threads();
}

}  // namespace

ThreadCount::ThreadCount(int threads) : openmp_before_(current_threads()), mkl_before_(set_mkl_threads(threads)) {
  omp_set_num_threads(threads);
}

ThreadCount::~ThreadCount() {
  omp_set_num_threads(openmp_before_);
  set_mkl_threads(mkl_before_);
}

}  // namespace gloss
