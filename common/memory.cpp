#include "common/memory.h"

#include <algorithm>

#include <unistd.h>

#include "common/cgroup.h"

namespace gloss {

std::int64_t usable_memory() {
  const auto physical = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return std::min(physical, cgroup_limits().memory.value_or(physical));
}

}  // namespace gloss
