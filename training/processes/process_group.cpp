// Chooses parts of c10d's headers.
#define USE_C10D_GLOO
#define USE_DISTRIBUTED

#include "training/processes/process_group.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <ATen/Functions.h>
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include "common/error.h"
#include "common/files/descriptor.h"
#include "common/log.h"
#include "training/processes/heartbeat.h"

namespace gloss {
namespace {

// Time for all processes to join.
constexpr std::chrono::minutes kToJoin{10};
// Gloo must not give up: a slow operation is no fault, and the heartbeat finds lost processes.
constexpr std::chrono::hours kUnlimited{24 * 365};

[[noreturn]] void end_lost(const std::string& message) {
  write_to_stderr("gloss: " + message + "; go on with --resume\n");
  ::_exit(static_cast<int>(ExitCode::kLostProcess));
}

/// Returns a listening socket at a port of the loopback interface; 0: a free one.
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
    throw IoError("127.0.0.1, port " + std::to_string(port) + ": cannot listen: " + std::strerror(errno));
  return socket;
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    throw IoError(std::string("a socket's port: cannot be read: ") + std::strerror(errno));
  return ntohs(address.sin_port);
}

/// Returns the address of this machine from which `host` is reached: other processes reach this one there.
std::string own_address(const std::string& host, std::uint16_t port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_DGRAM;
  if (const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found); error != 0)
    throw UsageError("MASTER_ADDR: " + printable(host, 200) + ": " + ::gai_strerror(error));
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, ::freeaddrinfo);
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

c10::intrusive_ptr<c10d::Store> connect(const ProcessPlace& place, bool keeps_store) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = keeps_store;
  options.waitWorkers = false;
  options.timeout = kToJoin;
  std::optional<Descriptor> socket;
  if (keeps_store && is_loopback(place.address)) {
    socket.emplace(listen_locally(place.port));
    options.masterListenFd = socket->release();
  }
  auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
  return c10::make_intrusive<c10d::PrefixStore>("gloss/" + place.attempt, std::move(store));
}

}  // namespace

struct LocalStore::Store {
  Descriptor socket = listen_locally(0);
  std::uint16_t port = port_of(socket);
  c10::intrusive_ptr<c10d::TCPStore> store;
};

LocalStore::LocalStore() : store_(std::make_unique<Store>()) {
  c10d::TCPStoreOptions options;
  options.port = store_->port;
  options.isServer = true;
  options.waitWorkers = false;
  options.masterListenFd = store_->socket.release();
  store_->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
}

LocalStore::~LocalStore() = default;

std::uint16_t LocalStore::port() const { return store_->port; }

struct ProcessGroup::Connections {
  explicit Connections(const ProcessPlace& place)
      : store(connect(place, place.rank == 0 && !place.store_is_there)),
        heartbeat(connect(place, /*keeps_store=*/false), place.rank, place.size, end_lost) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->timeout = kUnlimited;
    options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname(own_address(place.address, place.port)));
    group = c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place.rank),
                                                        static_cast<int>(place.size), options);
  }

  c10::intrusive_ptr<c10d::Store> store;
  Heartbeat heartbeat;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
};

namespace {

/// Waits for an operation of the group.
void wait(const std::function<c10::intrusive_ptr<c10d::Work>()>& begin) {
  try {
    begin()->wait();
  } catch (const std::exception&) {  // Gloo names the connection only
    throw LostProcessError("another process of this run has ended, so this one ends; go on with --resume");
  }
}

}  // namespace

ProcessGroup::ProcessGroup(const ProcessPlace& place) : Exchange(place.rank, place.size) {
  try {
    connections_ = std::make_unique<Connections>(place);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& fault) {
    const std::string what = fault.what();
    throw LostProcessError("process " + std::to_string(place.rank) + " of " + std::to_string(place.size) +
                           ": the others were not found at " + place.address + ", port " + std::to_string(place.port) +
                           ": " + what.substr(0, what.find('\n')));
  }
}

ProcessGroup::~ProcessGroup() = default;

at::Tensor ProcessGroup::all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>& received) {
  std::int64_t total = 0;
  for (const auto count : received) total += count;
  std::vector<std::int64_t> to_send(static_cast<std::size_t>(size()), sent.numel() / size()), to_receive = received;
  auto all = at::empty({total}, sent.options());
  auto flat = sent.flatten();
  wait([&] { return connections_->group->alltoall_base(all, flat, to_receive, to_send, {}); });
  return all;
}

at::Tensor ProcessGroup::all_gather(const at::Tensor& part) {
  auto all = at::empty({size() * part.numel()}, part.options());
  auto flat = part.flatten();
  wait([&] { return connections_->group->_allgather_base(all, flat, {}); });
  return all;
}

at::Tensor ProcessGroup::gather(const at::Tensor& part) {
  std::vector<at::Tensor> flat = {part.flatten()};
  std::vector<std::vector<at::Tensor>> parts;
  at::Tensor all;
  if (is_first()) {
    all = at::empty({size() * part.numel()}, part.options());
    parts.push_back(all.chunk(size()));
  }
  wait([&] { return connections_->group->gather(parts, flat, {}); });
  return all;
}

}  // namespace gloss
