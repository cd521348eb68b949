#include "common/threads.h"

#include <algorithm>
#include <thread>

#include <sched.h>

namespace gloss {

int available_processors() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more than 1,024 processors
}

}  // namespace gloss
