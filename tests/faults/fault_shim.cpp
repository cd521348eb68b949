// A library to be preloaded, which counts the calls that write files, or those on sockets, and makes one of them fail
// (fault_plan.h).

#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <type_traits>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/faults/fault_plan.h"
#include "tests/faults/unsynced_data.h"

namespace gloss::faults {
namespace {

std::mutex mutex;
thread_local bool within = false;  // one of our own functions: what it calls is not looked at

/// The C library's function of this name.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

std::string path_of(int descriptor) {
  std::array<char, PATH_MAX> text{};
  const auto link = "/proc/self/fd/" + std::to_string(descriptor);
  const auto size = ::readlink(link.c_str(), text.data(), text.size());
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "";
}

std::string absolute(int folder, const char* path) {
  if (path == nullptr || path[0] == '/') return path == nullptr ? "" : path;
  std::array<char, PATH_MAX> here{};
  const auto start = folder == AT_FDCWD ? ::getcwd(here.data(), here.size()) : nullptr;
  return (folder != AT_FDCWD ? path_of(folder) : start == nullptr ? "" : start) + '/' + path;
}

[[noreturn]] void die(bool power) {
  if (power) UnsyncedData::get().drop();
  ::raise(SIGKILL);
  std::abort();
}

/// A call that is looked at.
struct Watched {
  Call call;
  std::string path;
  bool made_all_the_same = false;  ///< also where it fails
};

/// Makes the call with `act`, unless it is to fail. `act` is given whether a write is to write half.
template <typename Act>
auto watch(const Watched& watched, Act act) {
  using Result = decltype(act(false));
  if (within || !FaultPlan::get().watches(watched.path)) return act(false);
  const std::lock_guard lock(mutex);
  within = true;
  const Decision decision = FaultPlan::get().count(watched.call, watched.path);
  Result result{};
  switch (decision.fault) {
    case Fault::kNone:
      result = act(false);
      break;
    case Fault::kSignal:
      ::raise(decision.signal);
      result = act(false);
      break;
    case Fault::kShort:
      result = act(true);
      break;
    case Fault::kKill:
      die(false);
    case Fault::kPower:
      die(true);
    case Fault::kTear:
      act(true);
      die(false);
    case Fault::kEnd:
      break;
    case Fault::kFail:
      if (watched.made_all_the_same) act(false);
      if constexpr (!std::is_pointer_v<Result>) result = -1;
      errno = decision.error;
  }
  within = false;
  return result;
}

// Of what is watched alone: the names of a process' other files are not kept.
template <typename Note>
void note(const std::string& path, Note with_data) {
  const int before = errno;
  if (FaultPlan::get().watches(path)) with_data(UnsyncedData::get());
  errno = before;
}

/// `real` opens `path`.
template <typename Open>
auto open_watched(const std::string& path, bool creates, bool nameless, Open real) {
  using Result = decltype(real());
  return watch({Call::kOpen, path}, [&](bool) -> Result {
    if (nameless && FaultPlan::get().watches(path) && !FaultPlan::get().has_nameless_files()) {
      errno = EOPNOTSUPP;
      if constexpr (std::is_pointer_v<Result>)
        return nullptr;
      else
        return -1;
    }
    struct stat status {};
    const bool fresh = creates && !nameless && ::stat(path.c_str(), &status) != 0;
    const Result result = real();
    if constexpr (!std::is_pointer_v<Result>)
      if (fresh && result >= 0) note(path, [&](UnsyncedData& data) { data.made(path); });
    return result;
  });
}

int open_at(int folder, const char* path, int flags, mode_t mode) {
  static auto* const real = next<int(int, const char*, int, mode_t)>("openat");
  return open_watched(absolute(folder, path), (flags & O_CREAT) != 0, (flags & O_TMPFILE) == O_TMPFILE,
                      [&] { return real(folder, path, flags, mode); });
}

FILE* open_stream(const char* name, const char* path, const char* mode) {
  auto* const real = next<FILE*(const char*, const char*)>(name);
  return open_watched(absolute(AT_FDCWD, path), false, false, [&] { return real(path, mode); });
}

/// Makes a call on a socket with `real`, unless it is to fail. Another thread may wait in one meanwhile.
template <typename Real>
auto watch_socket(Call call, Real real) {
  if (within || !FaultPlan::get().watches(kSockets)) return real();
  Decision decision;
  {
    const std::lock_guard lock(mutex);
    within = true;
    decision = FaultPlan::get().count(call, std::string(kSockets));
    within = false;
  }
  if (decision.fault == Fault::kNone) return real();
  if (decision.fault == Fault::kEnd) return decltype(real()){0};
  errno = decision.error;
  return decltype(real()){-1};
}

bool is_watched_socket(int descriptor) {
  return !within && FaultPlan::get().watches(kSockets) && path_of(descriptor).starts_with(kSockets);
}

/// `real` reads from a descriptor, which may be a socket.
template <typename Read>
ssize_t read_watched(int descriptor, Read real) {
  return is_watched_socket(descriptor) ? watch_socket(Call::kReceive, real) : real();
}

/// `real` writes so many of `size` bytes.
template <typename Write>
ssize_t write_watched(int descriptor, std::size_t size, Write real) {
  if (is_watched_socket(descriptor)) return watch_socket(Call::kSend, [&] { return real(size); });
  const std::string path = path_of(descriptor);
  return watch({Call::kWrite, path}, [&](bool half) {
    note(path, [&](UnsyncedData& data) { data.before_write(descriptor); });
    return real(half ? (size + 1) / 2 : size);
  });
}

int sync(int descriptor, const char* name) {
  auto* const real = next<int(int)>(name);
  const std::string path = path_of(descriptor);
  return watch({Call::kSync, path}, [&](bool) {
    const int result = real(descriptor);
    if (result == 0) note(path, [&](UnsyncedData& data) { data.synced(descriptor); });
    return result;
  });
}

template <typename Rename>
int rename_watched(const std::string& from, const std::string& to, Rename real) {
  return watch({Call::kRename, to}, [&](bool) {
    note(to, [&](UnsyncedData& data) { data.before_loss(to, FaultPlan::get().report()); });
    const int result = real();
    if (result == 0) note(to, [&](UnsyncedData& data) { data.renamed(from, to); });
    return result;
  });
}

template <typename Make>
int make_watched(Call call, const std::string& path, Make real) {
  return watch({call, path}, [&](bool) {
    const int result = real();
    if (result == 0) note(path, [&](UnsyncedData& data) { data.made(path); });
    return result;
  });
}

template <typename Remove>
int remove_watched(const std::string& path, Remove real) {
  return watch({Call::kRemove, path}, [&](bool) {
    note(path, [&](UnsyncedData& data) { data.before_loss(path, FaultPlan::get().report()); });
    return real();
  });
}

mode_t mode_of(int flags, va_list arguments) {
  return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, mode_t) : 0;
}

}  // namespace
}  // namespace gloss::faults

using gloss::faults::absolute;
using gloss::faults::Call;
using gloss::faults::next;

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = gloss::faults::mode_of(flags, arguments);
  va_end(arguments);
  return gloss::faults::open_at(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = gloss::faults::mode_of(flags, arguments);
  va_end(arguments);
  return gloss::faults::open_at(AT_FDCWD, path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = gloss::faults::mode_of(flags, arguments);
  va_end(arguments);
  return gloss::faults::open_at(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = gloss::faults::mode_of(flags, arguments);
  va_end(arguments);
  return gloss::faults::open_at(folder, path, flags, mode);
}
int __open_2(const char* path, int flags) { return gloss::faults::open_at(AT_FDCWD, path, flags, 0); }
int __open64_2(const char* path, int flags) { return gloss::faults::open_at(AT_FDCWD, path, flags, 0); }
int creat(const char* path, mode_t mode) {
  return gloss::faults::open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char* path, mode_t mode) {
  return gloss::faults::open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
FILE* fopen(const char* path, const char* mode) { return gloss::faults::open_stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return gloss::faults::open_stream("fopen64", path, mode); }

ssize_t write(int descriptor, const void* bytes, size_t size) {
  static auto* const real = next<ssize_t(int, const void*, size_t)>("write");
  return gloss::faults::write_watched(descriptor, size, [&](size_t part) { return real(descriptor, bytes, part); });
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t place) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off_t)>("pwrite");
  return gloss::faults::write_watched(descriptor, size,
                                      [&](size_t part) { return real(descriptor, bytes, part, place); });
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t place) {
  static auto* const real = next<ssize_t(int, const void*, size_t, off64_t)>("pwrite64");
  return gloss::faults::write_watched(descriptor, size,
                                      [&](size_t part) { return real(descriptor, bytes, part, place); });
}
ssize_t writev(int descriptor, const iovec* parts, int count) {  // a half one writes half of the first part
  static auto* const real = next<ssize_t(int, const iovec*, int)>("writev");
  const size_t first = count > 0 ? parts[0].iov_len : 0;
  return gloss::faults::write_watched(descriptor, first, [&](size_t part) {
    const iovec half{count > 0 ? parts[0].iov_base : nullptr, part};
    return part < first ? real(descriptor, &half, 1) : real(descriptor, parts, count);
  });
}

int fsync(int descriptor) { return gloss::faults::sync(descriptor, "fsync"); }
int fdatasync(int descriptor) { return gloss::faults::sync(descriptor, "fdatasync"); }

int close(int descriptor) {
  static auto* const real = next<int(int)>("close");
  return gloss::faults::watch({Call::kClose, gloss::faults::path_of(descriptor), true},
                              [&](bool) { return real(descriptor); });
}
int fclose(FILE* stream) {
  static auto* const real = next<int(FILE*)>("fclose");
  return gloss::faults::watch({Call::kClose, gloss::faults::path_of(::fileno(stream)), true},
                              [&](bool) { return real(stream); });
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("rename");
  return gloss::faults::rename_watched(absolute(AT_FDCWD, from), absolute(AT_FDCWD, to),
                                       [&] { return real(from, to); });
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*)>("renameat");
  return gloss::faults::rename_watched(absolute(from_folder, from), absolute(to_folder, to),
                                       [&] { return real(from_folder, from, to_folder, to); });
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  return gloss::faults::rename_watched(absolute(from_folder, from), absolute(to_folder, to),
                                       [&] { return real(from_folder, from, to_folder, to, flags); });
}
int link(const char* from, const char* to) noexcept {
  static auto* const real = next<int(const char*, const char*)>("link");
  return gloss::faults::make_watched(Call::kLink, absolute(AT_FDCWD, to), [&] { return real(from, to); });
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int, const char*, int)>("linkat");
  return gloss::faults::make_watched(Call::kLink, absolute(to_folder, to),
                                     [&] { return real(from_folder, from, to_folder, to, flags); });
}
int symlink(const char* to, const char* path) noexcept {
  static auto* const real = next<int(const char*, const char*)>("symlink");
  return gloss::faults::make_watched(Call::kLink, absolute(AT_FDCWD, path), [&] { return real(to, path); });
}
int mkdir(const char* path, mode_t mode) noexcept {
  static auto* const real = next<int(const char*, mode_t)>("mkdir");
  return gloss::faults::make_watched(Call::kMakeFolder, absolute(AT_FDCWD, path), [&] { return real(path, mode); });
}

int ftruncate(int descriptor, off_t size) noexcept {
  static auto* const real = next<int(int, off_t)>("ftruncate");
  return gloss::faults::watch({Call::kTruncate, gloss::faults::path_of(descriptor)},
                              [&](bool) { return real(descriptor, size); });
}
int ftruncate64(int descriptor, off64_t size) noexcept {
  static auto* const real = next<int(int, off64_t)>("ftruncate64");
  return gloss::faults::watch({Call::kTruncate, gloss::faults::path_of(descriptor)},
                              [&](bool) { return real(descriptor, size); });
}

int unlink(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("unlink");
  return gloss::faults::remove_watched(absolute(AT_FDCWD, path), [&] { return real(path); });
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  static auto* const real = next<int(int, const char*, int)>("unlinkat");
  return gloss::faults::remove_watched(absolute(folder, path), [&] { return real(folder, path, flags); });
}
int remove(const char* path) noexcept {
  static auto* const real = next<int(const char*)>("remove");
  return gloss::faults::remove_watched(absolute(AT_FDCWD, path), [&] { return real(path); });
}

int socket(int domain, int type, int protocol) noexcept {
  static auto* const real = next<int(int, int, int)>("socket");
  return gloss::faults::watch_socket(Call::kSocket, [&] { return real(domain, type, protocol); });
}
int bind(int descriptor, const sockaddr* address, socklen_t size) noexcept {
  static auto* const real = next<int(int, const sockaddr*, socklen_t)>("bind");
  return gloss::faults::watch_socket(Call::kBind, [&] { return real(descriptor, address, size); });
}
int listen(int descriptor, int backlog) noexcept {
  static auto* const real = next<int(int, int)>("listen");
  return gloss::faults::watch_socket(Call::kListen, [&] { return real(descriptor, backlog); });
}
int accept(int descriptor, sockaddr* address, socklen_t* size) {
  static auto* const real = next<int(int, sockaddr*, socklen_t*)>("accept");
  return gloss::faults::watch_socket(Call::kAccept, [&] { return real(descriptor, address, size); });
}
int accept4(int descriptor, sockaddr* address, socklen_t* size, int flags) {
  static auto* const real = next<int(int, sockaddr*, socklen_t*, int)>("accept4");
  return gloss::faults::watch_socket(Call::kAccept, [&] { return real(descriptor, address, size, flags); });
}
int connect(int descriptor, const sockaddr* address, socklen_t size) {
  static auto* const real = next<int(int, const sockaddr*, socklen_t)>("connect");
  return gloss::faults::watch_socket(Call::kConnect, [&] { return real(descriptor, address, size); });
}
int setsockopt(int descriptor, int level, int name, const void* value, socklen_t size) noexcept {
  static auto* const real = next<int(int, int, int, const void*, socklen_t)>("setsockopt");
  return gloss::faults::watch_socket(Call::kOption, [&] { return real(descriptor, level, name, value, size); });
}
int getsockopt(int descriptor, int level, int name, void* value, socklen_t* size) noexcept {
  static auto* const real = next<int(int, int, int, void*, socklen_t*)>("getsockopt");
  return gloss::faults::watch_socket(Call::kOption, [&] { return real(descriptor, level, name, value, size); });
}
int getsockname(int descriptor, sockaddr* address, socklen_t* size) noexcept {
  static auto* const real = next<int(int, sockaddr*, socklen_t*)>("getsockname");
  return gloss::faults::watch_socket(Call::kOption, [&] { return real(descriptor, address, size); });
}
int getpeername(int descriptor, sockaddr* address, socklen_t* size) noexcept {
  static auto* const real = next<int(int, sockaddr*, socklen_t*)>("getpeername");
  return gloss::faults::watch_socket(Call::kOption, [&] { return real(descriptor, address, size); });
}
ssize_t send(int descriptor, const void* bytes, size_t size, int flags) {
  static auto* const real = next<ssize_t(int, const void*, size_t, int)>("send");
  return gloss::faults::watch_socket(Call::kSend, [&] { return real(descriptor, bytes, size, flags); });
}
ssize_t sendmsg(int descriptor, const msghdr* message, int flags) {
  static auto* const real = next<ssize_t(int, const msghdr*, int)>("sendmsg");
  return gloss::faults::watch_socket(Call::kSend, [&] { return real(descriptor, message, flags); });
}
ssize_t recv(int descriptor, void* bytes, size_t size, int flags) {
  static auto* const real = next<ssize_t(int, void*, size_t, int)>("recv");
  return gloss::faults::watch_socket(Call::kReceive, [&] { return real(descriptor, bytes, size, flags); });
}
ssize_t recvmsg(int descriptor, msghdr* message, int flags) {
  static auto* const real = next<ssize_t(int, msghdr*, int)>("recvmsg");
  return gloss::faults::watch_socket(Call::kReceive, [&] { return real(descriptor, message, flags); });
}
ssize_t read(int descriptor, void* bytes, size_t size) {
  static auto* const real = next<ssize_t(int, void*, size_t)>("read");
  return gloss::faults::read_watched(descriptor, [&] { return real(descriptor, bytes, size); });
}
ssize_t readv(int descriptor, const iovec* parts, int count) {
  static auto* const real = next<ssize_t(int, const iovec*, int)>("readv");
  return gloss::faults::read_watched(descriptor, [&] { return real(descriptor, parts, count); });
}

}  // extern "C"
#pragma GCC visibility pop
