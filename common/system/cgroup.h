#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gloss {

/// Limits that control groups set for this process; absent if there are none.
struct CgroupLimits {
  std::optional<double> processors;    ///< processor seconds per second
  std::optional<std::int64_t> memory;  ///< bytes
};

/// Returns the smallest limits over the process's groups and all their parents, for version 2 (cpu.max, memory.max) and
/// version 1 (cpu.cfs_quota_us, memory.limit_in_bytes). `membership` lists the groups in the format of
/// /proc/self/cgroup. Groups that are not visible here are ignored.
CgroupLimits cgroup_limits(const std::filesystem::path& membership = "/proc/self/cgroup",
                           const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace gloss
