#include "common/threads.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include <sched.h>

#include "common/cgroup.h"

namespace gloss {
namespace {

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

}  // namespace gloss
