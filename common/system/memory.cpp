#include "common/system/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <unistd.h>

#include "common/system/cgroup.h"

namespace gloss {

std::int64_t usable_memory() {
  const auto physical = std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
  return std::min(physical, cgroup_limits().memory.value_or(physical));
}

std::optional<std::int64_t> size_in_proc(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string name; lines >> name; lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    std::int64_t kibibytes = 0;
    if (name == key && lines >> kibibytes) return kibibytes * 1024;
  }
  return std::nullopt;
}

}  // namespace gloss
