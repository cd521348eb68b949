#include "training/processes/sockets.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/error.h"
#include "common/text/printable.h"

namespace gloss {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Returns the addresses of a host for sockets of a type; on failure none, and sets `error`.
Addresses addresses_of(const std::string& host, std::uint16_t port, int socket_type, std::string& error) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = socket_type;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found); code != 0)
    error = ::gai_strerror(code);
  return {found, ::freeaddrinfo};
}

}  // namespace

void expect_descriptors(std::int64_t count) {
  std::vector<Descriptor> opened;
  for (std::int64_t i = 0; i < count; ++i) {
    opened.emplace_back(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!opened.back().is_open())
      throw IoError("several processes: wanted " + std::to_string(count) + " more open files, got " +
                    std::to_string(i) + ": " + std::strerror(errno) + "; raise the limit (ulimit -n)");
  }
}

Descriptor listen_locally(std::uint16_t port) {
  Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  if (socket.get() < 0 || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(socket.get(), SOMAXCONN) != 0)
    throw IoError("127.0.0.1, port " + std::to_string(port) + ": cannot listen: " + std::strerror(errno) +
                  "; choose a free port (MASTER_PORT)");
  return socket;
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw IoError(std::string("a socket's port: cannot be read: ") + std::strerror(errno));
  return ntohs(address.sin_port);
}

std::string connection_error(const std::string& host, std::uint16_t port) {
  std::string error;
  const auto addresses = addresses_of(host, port, SOCK_STREAM, error);
  for (const auto* each = addresses.get(); each != nullptr; each = each->ai_next) {
    const Descriptor socket(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const timeval limit{.tv_sec = 2, .tv_usec = 0};  // else minutes, if the host does not answer
    if (socket.get() >= 0 && ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) == 0 &&
        ::connect(socket.get(), each->ai_addr, each->ai_addrlen) == 0)
      return "";
    error = std::strerror(errno == EINPROGRESS ? ETIMEDOUT : errno);
  }
  return error;
}

std::string own_address(const std::string& host, std::uint16_t port) {
  std::string error;
  const auto found = addresses_of(host, port, SOCK_DGRAM, error);
  if (!found) throw UsageError("MASTER_ADDR: " + printable(host, 200) + ": " + error);
  const Descriptor socket(::socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char text[NI_MAXHOST];
  if (socket.get() < 0 || ::connect(socket.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) !=
          0)
    throw IoError("MASTER_ADDR: " + printable(host, 200) + ": cannot be reached: " + std::strerror(errno));
  return text;
}

}  // namespace gloss
