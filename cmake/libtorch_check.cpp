// Built and run by FindLibTorch.cmake: checks that at::parallel_for in our own files is parallel, that the process
// holds as many OpenMP run-times as expected (one, with clang two), and that MKL's number of threads can be set where
// LibTorch has MKL (tensor/thread_count.cpp).
#include <atomic>
#include <cstdio>
#include <cstring>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <link.h>

extern "C" int MKL_Set_Num_Threads_Local(int threads) __attribute__((weak));

namespace {

int count_openmp(dl_phdr_info* library, size_t, void* count) {
  const bool is_openmp = std::strstr(library->dlpi_name, "libgomp") || std::strstr(library->dlpi_name, "libiomp") ||
                         std::strstr(library->dlpi_name, "libomp");
  *static_cast<int*>(count) += is_openmp ? 1 : 0;
  return 0;
}

}  // namespace

int main() {
  at::set_num_threads(2);
  std::atomic<int> threads{0};
  at::parallel_for(0, 2, 1, [&](int64_t begin, int64_t end) { threads += end - begin == 1 ? 1 : 0; });
  int runtimes = 0;
  dl_iterate_phdr(count_openmp, &runtimes);
  const bool sets_mkl = !at::hasMKL() || MKL_Set_Num_Threads_Local != nullptr;
  if (threads == 2 && runtimes == GLOSS_OPENMP_RUNTIMES && sets_mkl) return 0;
  std::printf("%d slices of work where 2 were wanted, %d OpenMP run-times where %d were wanted%s\n", threads.load(),
              runtimes, GLOSS_OPENMP_RUNTIMES, sets_mkl ? "" : ", MKL without MKL_Set_Num_Threads_Local");
  return 1;
}
