#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gloss {

/// What control groups leave to this process; absent where they set no limit.
struct CgroupLimits {
  std::optional<double> processors;    ///< processor seconds a second
  std::optional<std::int64_t> memory;  ///< bytes
};

/// The least over the process's groups and all groups above them, of version 2 (cpu.max, memory.max) and version 1
/// (cpu.cfs_quota_us, memory.limit_in_bytes). `membership` says which groups these are, as /proc/self/cgroup does;
/// groups that cannot be seen from here count for nothing.
CgroupLimits cgroup_limits(const std::filesystem::path& membership = "/proc/self/cgroup",
                           const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace gloss
