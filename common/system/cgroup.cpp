#include "common/system/cgroup.h"

#include <algorithm>
#include <fstream>
#include <string>

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

}  // namespace gloss
