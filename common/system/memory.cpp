#include "common/system/memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include <sys/sysinfo.h>

#include "common/system/cgroup.h"

namespace gloss {
namespace {

// sysconf(_SC_PHYS_PAGES) would return any number if the system refuses sysinfo.
std::int64_t physical_memory() {
  struct sysinfo system {};
  if (::sysinfo(&system) == 0) return static_cast<std::int64_t>(system.totalram) * system.mem_unit;
  return size_in_proc("/proc/meminfo", "MemTotal:").value_or(std::numeric_limits<std::int64_t>::max());
}

}  // namespace

std::int64_t usable_memory() {
  const auto physical = physical_memory();
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
