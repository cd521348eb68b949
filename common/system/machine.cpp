#include "common/system/machine.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <latch>
#include <limits>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <sched.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "common/text/split.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

// Reads the next number of a file. "max", a negative number and a missing file yield nothing.
template <typename Number>
std::optional<Number> read_number(std::istream& file) {
  Number number = 0;
  return file >> number && number >= 0 ? std::optional(number) : std::nullopt;
}

template <typename Number>
void set_minimum(std::optional<Number>& minimum, const std::optional<Number>& other) {
  if (other) minimum = std::min(minimum.value_or(*other), *other);
}

void add_processors(CgroupLimits& limits, std::istream& quota_file, std::istream& period_file) {
  const auto quota = read_number<double>(quota_file), period = read_number<double>(period_file);
  if (quota && period && *period > 0) set_minimum(limits.processors, std::optional(*quota / *period));
}

void add_group(CgroupLimits& limits, const fs::path& group) {
  std::ifstream both(group / "cpu.max");  // "max 100000" or "50000 100000"
  add_processors(limits, both, both);
  std::ifstream quota(group / "cpu.cfs_quota_us"), period(group / "cpu.cfs_period_us");
  add_processors(limits, quota, period);
  for (const auto* name : {"memory.max", "memory.limit_in_bytes"}) {
    std::ifstream memory(group / name);
    set_minimum(limits.memory, read_number<std::int64_t>(memory));
  }
}

// sysconf(_SC_PHYS_PAGES) would return any number if the system refuses sysinfo.
std::int64_t physical_memory() {
  struct sysinfo system {};
  if (::sysinfo(&system) == 0) return static_cast<std::int64_t>(system.totalram) * system.mem_unit;
  return size_in_proc("/proc/meminfo", "MemTotal:").value_or(std::numeric_limits<std::int64_t>::max());
}

constexpr std::size_t kReserve = std::size_t{32} << 20;  // address space that threads need besides their stacks

int processors_of_affinity() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than 1,024 processors
}

}  // namespace

CgroupLimits cgroup_limits(const fs::path& membership, const fs::path& root) {
  CgroupLimits limits;
  std::ifstream lines(membership);
  for (std::string line; std::getline(lines, line);) {  // number:controllers:/path; version 2 names no controllers
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos || second + 1 == line.size()) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    const auto top = root / controllers;
    auto group = fs::path(line.substr(second + 1)).relative_path();
    for (; !group.empty(); group = group.parent_path()) add_group(limits, top / group);
    add_group(limits, top);
  }
  return limits;
}

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

std::optional<pid_t> parse_process_id(std::string_view digits) {
  const auto value = parse_number<pid_t>(digits);
  return value >= 0 ? value : std::nullopt;
}

bool is_running(pid_t process) { return process > 0 && (::kill(process, 0) == 0 || errno == EPERM); }

}  // namespace gloss
