#include "common/files/user_cache.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text/printable.h"
#include "common/text/split.h"

namespace gloss {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kDefaultMebibytes = 8192, kMaxMebibytes = 1ULL << 40;
constexpr std::uint64_t kMinEntrySize = 4096;  // bytes of disk space that a small file takes
constexpr std::string_view kCacheEnding = ".cache";
constexpr mode_t kPrivate = 0700;

using Status = struct stat;

/// Opens the folder if only its user can reach it.
Descriptor open_private(const fs::path& folder) {
  Descriptor descriptor(
      retry_interrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }));
  Status status{};
  const bool is_private = descriptor.is_open() && ::fstat(descriptor.get(), &status) == 0 &&
                          status.st_uid == ::geteuid() && (status.st_mode & 077) == 0;
  return is_private ? std::move(descriptor) : Descriptor();
}

/// Creates the folder and the one that it is in. A folder of another user gets none: it would lock that user out.
void create_private(const fs::path& folder) {
  const auto parent = folder.parent_path();
  ::mkdir(parent.c_str(), kPrivate);
  Status status{};
  if (::stat(parent.c_str(), &status) == 0 && status.st_uid == ::geteuid()) ::mkdir(folder.c_str(), kPrivate);
}

/// A path into an open folder, even if another folder has taken its name.
fs::path path_in(const Descriptor& folder) { return "/proc/self/fd/" + std::to_string(folder.get()); }

/// Removes the temporary files that killed processes left. Processes of other machines may be writing here, so they
/// are those that nothing was written to for an hour.
void remove_old_temporaries(const fs::path& folder, fs::file_time_type now) {
  for (const auto& file : fs::directory_iterator(folder)) {
    const auto name = file.path().filename().string();
    std::error_code removed;  // by another process
    if (name.starts_with(".gloss.") && name.ends_with(".tmp") && file.is_regular_file(removed) && !removed &&
        now - fs::last_write_time(file.path(), removed) > std::chrono::hours(1) && !removed)
      fs::remove(file.path(), removed);
  }
}

struct CacheEntry {
  fs::path path;
  fs::file_time_type used;
  std::uint64_t size;
};

void make_space(const fs::path& folder, std::uint64_t limit) {
  std::vector<CacheEntry> entries;
  std::uint64_t total = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    if (!file.path().string().ends_with(kCacheEnding)) continue;
    std::error_code removed;  // by another process
    CacheEntry entry{file.path(), fs::last_write_time(file.path(), removed), fs::file_size(file.path(), removed)};
    if (removed) continue;
    total += std::max(entry.size, kMinEntrySize);
    entries.push_back(std::move(entry));
  }
  std::ranges::sort(entries, {}, &CacheEntry::used);
  for (const auto& entry : entries) {
    if (total <= limit) break;
    fs::remove(entry.path);
    total -= std::max(entry.size, kMinEntrySize);
  }
}

}  // namespace

UserCache UserCache::of_user() {
  std::uint64_t mebibytes = kDefaultMebibytes;
  if (const char* const value = std::getenv("GLOSS_CACHE_MIB"); value != nullptr) {
    mebibytes = parse_number<std::uint64_t>(value).value_or(kMaxMebibytes + 1);
    if (mebibytes > kMaxMebibytes)
      throw UsageError("GLOSS_CACHE_MIB: wanted a whole number of MiB, 0 for no cache, got \"" + printable(value, 80) +
                       "\"; set one, or unset the variable");
  }
  const auto folder_in = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return value == nullptr || !fs::path(value).is_absolute() ? fs::path() : fs::path(value);
  };
  auto parent = folder_in("XDG_CACHE_HOME");
  if (const auto home = folder_in("HOME"); parent.empty() && !home.empty()) parent = home / ".cache";
  if (parent.empty() || mebibytes == 0) return {};
  return UserCache({.folder = parent / "gloss", .limit = mebibytes << 20});
}

std::optional<RegularFile> UserCache::find(const std::string& name) const {
  if (settings_.limit == 0) return std::nullopt;
  const auto folder = open_private(settings_.folder);
  if (!folder.is_open()) return std::nullopt;
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  Descriptor file(retry_interrupted([&] { return ::openat(folder.get(), name.c_str(), kFlags); }));
  Status status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid())
    return std::nullopt;
  ::futimens(file.get(), nullptr);
  return RegularFile{std::move(file), static_cast<std::uint64_t>(status.st_size)};
}

bool UserCache::store(const std::string& name, std::uint64_t size,
                      const std::function<void(AtomicFile&)>& write) const {
  if (size > settings_.limit) return false;
  create_private(settings_.folder);
  const auto folder = open_private(settings_.folder);
  if (!folder.is_open()) return false;
  try {
    const auto path = path_in(folder);
    remove_old_temporaries(path, std::chrono::file_clock::from_sys(settings_.now()));
    fs::remove(path / name);
    make_space(path, settings_.limit - size);
    if (fs::space(path).available / 2 < size) return false;
    AtomicFile file(path / name);
    write(file);
    file.commit(/*flush=*/false);
  } catch (const IoError&) {
    return false;
  } catch (const fs::filesystem_error&) {
    return false;
  }
  return true;
}

}  // namespace gloss
