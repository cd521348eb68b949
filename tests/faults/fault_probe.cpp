// fault_probe WAY FOLDER: makes the calls that WAY names in FOLDER, as programs do; exit code 1 where one fails.

#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

using Steps = std::vector<std::function<bool()>>;

/// Stops at the first that fails.
bool all(const Steps& steps) {
  for (const auto& step : steps)
    if (!step()) return false;
  return true;
}

bool go(const std::string& way, const std::string& folder) {
  const std::string a = folder + "/a", b = folder + "/b", text = "0123456789";
  constexpr int kCreate = O_RDWR | O_CREAT;
  int file = -1, place = -1;
  const auto open_plain = [&] { return (file = ::open(a.c_str(), kCreate, 0600)) >= 0; };
  const auto write_plain = [&] { return ::write(file, text.data(), text.size()) == ssize_t(text.size()); };
  const auto sync = [&] { return ::fsync(file) == 0; };
  const auto close = [&] { return ::close(file) == 0; };
  const auto open_folder = [&] { return (place = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY)) >= 0; };
  const auto sync_folder = [&] { return ::fsync(place) == 0; };
  std::ofstream stream;
  std::FILE* pointer = nullptr;
  int listener = -1, client = -1, server = -1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  char received[10];
  iovec parts[2] = {{const_cast<char*>(text.data()), 4}, {const_cast<char*>(text.data()), 6}};

  const std::map<std::string, Steps> ways = {
      {"plain", {open_plain, write_plain, sync, close}},
      {"at",
       {[&] { return (file = ::openat(AT_FDCWD, a.c_str(), kCreate, 0600)) >= 0; },
        [&] { return ::pwrite(file, text.data(), 10, 0) == 10; }, [&] { return ::fdatasync(file) == 0; }, close}},
      {"large",
       {[&] { return (file = ::open64(a.c_str(), kCreate, 0600)) >= 0; },
        [&] { return ::writev(file, parts, 2) == 10; }, [&] { return ::ftruncate64(file, 5) == 0; },
        [&] { return ::pwrite64(file, text.data(), 10, 5) == 10; }, close}},
      {"creat",
       {[&] { return (file = ::creat(a.c_str(), 0600)) >= 0; }, [&] { return ::ftruncate(file, 5) == 0; }, close}},
      {"stream",
       {[&] { return stream.open(a), stream.is_open(); }, [&] { return bool(stream << text << std::flush); },
        [&] { return stream.close(), bool(stream); }}},
      {"stdio",
       {[&] { return (pointer = std::fopen(a.c_str(), "w")) != nullptr; }, [&] { return std::fclose(pointer) == 0; }}},
      {"names",
       {open_plain, close, [&] { return ::link(a.c_str(), b.c_str()) == 0; },
        [&] { return std::rename(b.c_str(), (folder + "/c").c_str()) == 0; },
        [&] { return ::unlink((folder + "/c").c_str()) == 0; }, [&] { return ::symlink("a", b.c_str()) == 0; },
        [&] { return std::remove(b.c_str()) == 0; }, [&] { return ::mkdir(b.c_str(), 0700) == 0; }}},
      {"names at",
       {open_plain, close, open_folder, [&] { return ::linkat(place, "a", place, "b", 0) == 0; },
        [&] { return ::renameat(place, "b", place, "c") == 0; },
        [&] { return ::renameat2(place, "c", place, "b", 0) == 0; }, [&] { return ::unlinkat(place, "b", 0) == 0; }}},
      {"sockets",
       {[&] { return (listener = ::socket(AF_INET, SOCK_STREAM, 0)) >= 0; },
        [&] { return ::bind(listener, generic, size) == 0; }, [&] { return ::listen(listener, 1) == 0; },
        [&] { return ::getsockname(listener, generic, &size) == 0; },
        [&] { return (client = ::socket(AF_INET, SOCK_STREAM, 0)) >= 0; },
        [&] { return ::connect(client, generic, size) == 0; },
        [&] { return (server = ::accept(listener, nullptr, nullptr)) >= 0; },
        [&] { return ::send(client, text.data(), 4, 0) == 4; }, [&] { return ::recv(server, received, 4, 0) == 4; },
        [&] { return ::write(client, text.data(), 6) == 6; }, [&] { return ::read(server, received, 6) == 6; }}},
      {"flushed", {open_plain, write_plain, sync, open_folder, sync_folder, write_plain, write_plain, close}},
      {"unflushed", {open_plain, write_plain, sync, close, open_plain, close}}};
  return all(ways.at(way));
}

}  // namespace

int main(int argc, char** argv) { return argc == 3 && go(argv[1], argv[2]) ? 0 : 1; }
