#pragma once

namespace gloss {

/// Sets the number of threads that the operations of LibTorch and of its MKL use on the calling thread, and restores it
/// at the end. In contrast, at::set_num_threads would also set it for threads, of a host program too, that use LibTorch
/// for the first time.
///
/// Equal bits on any number of workers require a number of one in each. Inside a parallel region of OpenMP, MKL does
/// compute on one thread, but cuts a product as for the number of threads that is set, and so rounds differently.
class ThreadCount {
 public:
  explicit ThreadCount(int threads);
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
  ~ThreadCount();

 private:
  int openmp_before_, mkl_before_;
};

}  // namespace gloss
