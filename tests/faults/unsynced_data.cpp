#include "tests/faults/unsynced_data.h"

#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gloss::faults {
namespace {

namespace fs = std::filesystem;

using Status = struct stat;

// Past our own functions of these names.
int open_quietly(const std::string& path, int flags) {
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path.c_str(), flags | O_CLOEXEC, 0));
}
void rename_quietly(const std::string& from, const std::string& to) { ::syscall(SYS_rename, from.c_str(), to.c_str()); }
void remove_quietly(const std::string& path) {
  if (::syscall(SYS_unlink, path.c_str()) == 0) return;
  std::string tree;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path, error)) remove_quietly(entry.path().string());
  ::syscall(SYS_rmdir, path.c_str());
}

}  // namespace

UnsyncedData& UnsyncedData::get() {
  static UnsyncedData& data = *new UnsyncedData();
  return data;
}

void UnsyncedData::before_write(int descriptor) {
  Status status{};
  if (::fstat(descriptor, &status) != 0) return;
  for (const File& file : files_)
    if (file.device == status.st_dev && file.inode == status.st_ino) return;
  const int own = open_quietly("/proc/self/fd/" + std::to_string(descriptor), O_RDWR);
  files_.push_back({status.st_dev, status.st_ino, own, status.st_size});
}

void UnsyncedData::synced(int descriptor) {
  Status status{};
  if (::fstat(descriptor, &status) != 0) return;
  if (!S_ISDIR(status.st_mode)) {
    std::erase_if(files_, [&](const File& file) {
      const bool same = file.device == status.st_dev && file.inode == status.st_ino;
      if (same) ::syscall(SYS_close, file.descriptor);
      return same;
    });
    return;
  }
  const fs::path folder = fs::read_symlink("/proc/self/fd/" + std::to_string(descriptor));
  std::erase_if(names_, [&](const Name& name) {
    const bool flushed = fs::path(name.path).parent_path() == folder;
    if (flushed && !name.before.empty()) remove_quietly(name.before);
    return flushed;
  });
}

void UnsyncedData::made(const std::string& path) { names_.push_back({path, "", ""}); }

void UnsyncedData::before_loss(const std::string& path, const std::string& store) {
  static int count = 0;
  const std::string kept = store + '.' + std::to_string(::getpid()) + '-' + std::to_string(++count);
  const bool there = ::syscall(SYS_linkat, AT_FDCWD, path.c_str(), AT_FDCWD, kept.c_str(), 0) == 0;
  names_.push_back({path, there ? kept : "", ""});
}

void UnsyncedData::renamed(const std::string& from, const std::string& to) {
  if (!names_.empty() && names_.back().path == to) names_.back().from = from;
}

void UnsyncedData::drop() {
  for (const File& file : std::exchange(files_, {})) ::syscall(SYS_ftruncate, file.descriptor, file.size);
  while (!names_.empty()) {
    const Name name = std::move(names_.back());
    names_.pop_back();
    if (!name.from.empty())
      rename_quietly(name.path, name.from);
    else if (name.before.empty())
      remove_quietly(name.path);
    if (!name.before.empty()) rename_quietly(name.before, name.path);
  }
}

}  // namespace gloss::faults
