#include "tensor/thread_count.h"

#include <cstdint>

#include <ATen/Parallel.h>
#include <omp.h>

/// Sets MKL's number of threads for the calling thread; 0: that of the process. Returns the former number. A LibTorch
/// without MKL has no such function; FindLibTorch.cmake refuses one that has MKL and hides it.
extern "C" int MKL_Set_Num_Threads_Local(int threads) __attribute__((weak));

namespace gloss {
namespace {

int set_mkl_threads(int threads) {
  return MKL_Set_Num_Threads_Local == nullptr ? 0 : MKL_Set_Num_Threads_Local(threads);
}

// Returns the calling thread's number of threads. libtorch_cpu and the program each have a copy of the inline function
// that sets the number at a thread's first use of LibTorch; both must have run before another number is set.
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
