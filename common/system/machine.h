#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/types.h>

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

/// Returns the bytes of memory that this process may use: the machine's, or the limit of its control groups.
std::int64_t usable_memory();

/// Returns the value of the line `key` ("VmRSS:") of a file such as "/proc/self/status", in bytes, or nothing if there
/// is no such line.
std::optional<std::int64_t> size_in_proc(const char* file, std::string_view key);

/// Returns the number of processors that this process may use: those of its affinity, or the limit of its control
/// groups, rounded up; at least 1.
int available_processors();
/// Returns the number of processors of the machine.
int online_processors();

/// Starts `count` threads (1 or more, including the calling one), ends them again, and returns how many the system
/// allowed at the same time.
int threads_that_start(int count);

/// Parses a process id of decimal digits alone, as in a temporary file's name. Returns nothing for any other text.
std::optional<pid_t> parse_process_id(std::string_view digits);

/// Returns whether a process of this machine has this id, also one of another user.
bool is_running(pid_t process);

}  // namespace gloss
