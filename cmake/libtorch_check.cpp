// Built and run by FindLibTorch.cmake: is at::parallel_for in our own files parallel, with one OpenMP run-time?
#include <atomic>
#include <cstdio>
#include <cstring>

#include <ATen/Parallel.h>
#include <link.h>

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
  if (threads == 2 && runtimes == 1) return 0;
  std::printf("%d slices of work where 2 were wanted, %d OpenMP run-times where 1 was wanted\n", threads.load(),
              runtimes);
  return 1;
}
