#include "common/system/threads.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <latch>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/system/cgroup.h"

namespace gloss {
namespace {

constexpr std::size_t kReserve = std::size_t{32} << 20;  // address space that threads need besides their stacks

int processors_of_affinity() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than 1,024 processors
}

}  // namespace

int available_processors() {
  const double processors = processors_of_affinity();
  return std::max(1,
                  static_cast<int>(std::ceil(std::min(processors, cgroup_limits().processors.value_or(processors)))));
}

int online_processors() { return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)); }

int threads_that_start(int count) {
  void* const reserve = ::mmap(nullptr, kReserve, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (reserve == MAP_FAILED) return 1;
  std::latch end(1);
  std::vector<std::jthread> others;
  try {
    others.reserve(static_cast<std::size_t>(count - 1));
    while (std::ssize(others) < count - 1) others.emplace_back([&end] { end.wait(); });
  } catch (const std::system_error&) {
  } catch (const std::bad_alloc&) {
  }
  end.count_down();
  ::munmap(reserve, kReserve);
  return static_cast<int>(others.size()) + 1;
}

}  // namespace gloss
