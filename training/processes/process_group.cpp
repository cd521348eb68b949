// Chooses parts of c10d's headers.
#define USE_C10D_GLOO
#define USE_DISTRIBUTED

#include "training/processes/process_group.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <ATen/Functions.h>
#include <arpa/inet.h>
#include <c10/util/Logging.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

#include "common/error.h"
#include "common/files/descriptor.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "tensor/out_of_memory.h"
#include "training/processes/heartbeat.h"
#include "training/processes/nccl.h"

namespace gloss {
namespace {

// Time for all processes to join.
constexpr std::chrono::minutes kToJoin{10};
// The time limit of c10d's exchanges is never reached: a slow operation is no fault, and the heartbeat finds lost
// processes.
constexpr std::chrono::hours kUnlimited{24 * 365};

// c10d prints stacks of calls as warnings and errors. What they say is in its exceptions, too.
constexpr int kOnlyFatal = 3;

// The main thread may wait in an exchange. stderr may have no reader, so this waits for it as little as possible.
[[noreturn]] void end_lost(const std::string& message) {
  const auto line = "gloss: " + log_process() + message + "; go on with --resume\n";
  constexpr int kMilliseconds = 1000;
  if (writable_within(STDERR_FILENO, kMilliseconds))
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  ::_exit(static_cast<int>(ExitCode::kLostProcess));
}

/// Returns the first line of an exception of c10d, without the period; a stack of calls follows. NCCL's own message
/// follows the place in c10d.
std::string reason(const std::exception& fault) {
  constexpr std::string_view kOfNccl = "Last error:\n";
  std::string what = fault.what();
  if (const auto place = what.find(kOfNccl); place != what.npos) what.erase(0, place + kOfNccl.size());
  what.resize(std::min(what.size(), what.find('\n')));
  if (what.ends_with('.')) what.pop_back();
  return what;
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

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

/// Returns the addresses of a host for sockets of a type; on failure none, and sets `error`.
Addresses addresses_of(const std::string& host, std::uint16_t port, int socket_type, std::string& error) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = socket_type;
  if (const int code = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found); code != 0)
    error = ::gai_strerror(code);
  return {found, ::freeaddrinfo};
}

/// Returns the reason why nothing answers at the address of the store; empty if something does.
std::string error_of_store(const ProcessPlace& place) {
  std::string error;
  const auto addresses = addresses_of(place.address, place.port, SOCK_STREAM, error);
  for (const auto* each = addresses.get(); each != nullptr; each = each->ai_next) {
    const Descriptor socket(::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.get() >= 0 && ::connect(socket.get(), each->ai_addr, each->ai_addrlen) == 0) return "";
    error = std::strerror(errno);
  }
  return error;
}

/// Returns the address of this machine from which `host` is reached: other processes reach this one there.
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

/// Returns the network device of Gloo: the interface of GLOO_SOCKET_IFNAME, or that from which process 0 is reached.
/// Processes that meet at the loopback interface use no other.
std::shared_ptr<::gloo::transport::Device> network_device(const ProcessPlace& place) {
  if (const auto interface = environment_variable("GLOO_SOCKET_IFNAME"); interface && !is_loopback(place.address))
    return c10d::ProcessGroupGloo::createDeviceForInterface(*interface);
  const auto address = own_address(place.address, place.port);
  if (is_loopback(address) && !is_loopback(place.address) && place.local_size < place.size)
    throw UsageError("MASTER_ADDR: " + printable(place.address, 200) + " is " + address +
                     " on this machine, which others cannot reach; name the machine by its address, or the network's "
                     "interface by GLOO_SOCKET_IFNAME");
  return c10d::ProcessGroupGloo::createDeviceForHostname(address);
}

c10::intrusive_ptr<c10d::Store> prefixed(c10::intrusive_ptr<c10d::Store> store, const std::string& job,
                                         const std::string& attempt) {
  return c10::make_intrusive<c10d::PrefixStore>("gloss/" + job + '/' + attempt, std::move(store));
}

/// Waits until `missing` returns an empty text instead of the name of what is missing. Throws Stopped after a signal,
/// LostProcessError after kToJoin.
void wait_while_missing(const std::function<std::string()>& missing, void (&log)(std::string_view)) {
  constexpr std::chrono::milliseconds kLookEvery{50};
  constexpr std::chrono::seconds kSilent{5};
  const auto begin = std::chrono::steady_clock::now();
  bool told = false;
  for (auto name = missing(); !name.empty(); name = missing()) {
    stop_where_requested();
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > kToJoin)
      throw LostProcessError(name + " did not start within ten minutes; see why, and go on with --resume");
    if (waited > kSilent && !std::exchange(told, true)) log("waiting for " + name);
    std::this_thread::sleep_for(kLookEvery);
  }
}

/// Opens the store, in process 0.
c10::intrusive_ptr<c10d::Store> open_store(const ProcessPlace& place) {
  own_address(place.address, place.port);  // fails for a name that does not exist
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.isServer = true;
  options.waitWorkers = false;
  options.timeout = kToJoin;
  if (is_loopback(place.address)) options.masterListenFd = listen_locally(place.port).release();
  try {
    return prefixed(c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options), place.job, place.attempt);
  } catch (const std::exception& fault) {
    throw IoError("port " + std::to_string(place.port) + ": process 0 cannot open the store there: " + reason(fault) +
                  "; choose a free port (MASTER_PORT)");
  }
}

/// Connects to the store. c10d's attempts are short, because a signal does not end them.
c10::intrusive_ptr<c10d::Store> connect(const ProcessPlace& place) {
  c10d::TCPStoreOptions options;
  options.port = place.port;
  options.waitWorkers = false;
  options.timeout = std::chrono::seconds(3);
  c10::intrusive_ptr<c10d::TCPStore> store;
  const auto missing = [&]() -> std::string {
    auto error = error_of_store(place);
    try {
      if (error.empty()) store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    } catch (const std::exception& fault) {
      error = reason(fault);
    }
    if (store) return "";
    return "process 0 at " + printable(place.address, 200) + ", port " + std::to_string(place.port) + " (" + error +
           ")";
  };
  wait_while_missing(missing, log_warning);
  store->setTimeout(kToJoin);
  return prefixed(std::move(store), place.job, place.attempt);
}

/// Waits until all processes are at this point. Throws UsageError if they were started as different numbers of them.
void meet_in(c10d::Store& store, const ProcessPlace& place) {
  constexpr auto kJoined = "joined", kSize = "size", kSizesDiffer = "sizes differ";
  const auto size = std::to_string(place.size);
  if (store.compareSet(kSize, "", size) != size) store.add(kSizesDiffer, 1);
  store.add(kJoined, 1);
  const auto missing = [&] {
    if (store.add(kSizesDiffer, 0) > 0)
      throw UsageError("WORLD_SIZE: wanted the same number in all processes of this run, got " + size +
                       " here and another elsewhere");
    const auto others = place.size - store.add(kJoined, 0);
    return others > 0 ? std::to_string(others) + " of " + std::to_string(place.size) + " processes" : "";
  };
  wait_while_missing(missing, log_info);
}

/// Waits for an operation of Gloo.
void wait(const std::function<c10::intrusive_ptr<c10d::Work>()>& begin) {
  try {
    begin()->wait();
  } catch (const std::exception& fault) {  // Gloo's message has the connection only
    if (is_out_of_memory()) throw;
    const std::string what = fault.what();
    const auto address = what.find("peer [");
    throw LostProcessError(
        "another process of this run has ended" +
        (address == what.npos ? "" : ", " + what.substr(address, what.find(']', address) + 1 - address)) +
        ", so this one ends; go on with --resume");
  }
}

/// Waits for an operation of NCCL. Its own wait would, after an error, wait for the other processes.
void wait_for_gpu(const std::function<c10::intrusive_ptr<c10d::Work>()>& begin) {
  constexpr std::chrono::microseconds kLookEvery{50};
  try {
    const auto work = begin();
    work->synchronize();
    while (!work->isCompleted()) std::this_thread::sleep_for(kLookEvery);
    if (const auto fault = work->exception()) std::rethrow_exception(fault);
  } catch (const std::exception& fault) {
    if (is_out_of_memory()) throw;
    throw LostProcessError("the GPUs of this run cannot exchange data: " + reason(fault) +
                           "; mend that, and go on with --resume");
  }
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
  try {
    store_->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  } catch (const std::exception& fault) {
    throw IoError("127.0.0.1, port " + std::to_string(store_->port) + ": " + reason(fault));
  }
}

LocalStore::~LocalStore() = default;

std::uint16_t LocalStore::port() const { return store_->port; }

void LocalStore::mark_lost(std::int64_t rank) { gloss::mark_lost(*prefixed(store_->store, kJob, "0"), rank); }

struct ProcessGroup::Connections {
  Connections(const ProcessPlace& place, at::Device device)
      : store(place.rank == 0 && !place.store_is_there ? open_store(place) : connect(place)),
        heartbeat(connect(place), place.rank, place.size, end_lost) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->timeout = kToJoin;
    options->devices.push_back(network_device(place));
    meet_in(*store, place);
    group = c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place.rank),
                                                        static_cast<int>(place.size), options);
    group->setTimeout(kUnlimited);
    if (!device.is_cpu()) nccl = nccl_backend(store, place.rank, place.size, kUnlimited);
  }
  ~Connections() { static_cast<void>(nccl.release()); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Waits for an operation on a tensor's device.
  void exchange(const at::Tensor& tensor,
                const std::function<c10::intrusive_ptr<c10d::Work>(c10d::Backend& backend)>& begin) const {
    if (tensor.is_cpu())
      wait([&] { return begin(*group); });
    else
      wait_for_gpu([&] { return begin(*nccl); });
  }

  /// Waits some seconds until all processes leave, under the watch of the heartbeat: the store may hang.
  void wait_for_others() {
    constexpr std::chrono::seconds kLimit{3};
    constexpr std::chrono::milliseconds kLookEvery{20};
    if (std::exchange(leaves, true)) return;
    const auto begin = std::chrono::steady_clock::now();
    try {
      store->add(kLeaving, 1);
      while (store->add(kLeaving, 0) < group->getSize() && std::chrono::steady_clock::now() - begin < kLimit)
        std::this_thread::sleep_for(kLookEvery);
    } catch (const std::exception&) {  // the store has gone with process 0
    }
  }

  static constexpr const char* kLeaving = "leaving";  // the number of processes that leave
  c10::intrusive_ptr<c10d::Store> store;
  Heartbeat heartbeat;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
  c10::intrusive_ptr<c10d::Backend> nccl;  // of a process on a GPU
  bool leaves = false;
};

ProcessGroup::ProcessGroup(const ProcessPlace& place, at::Device device) : Exchange(place.rank, place.size) {
  FLAGS_caffe2_log_level = kOnlyFatal;
  try {
    connections_ = std::make_unique<Connections>(place, device);
  } catch (const Error&) {
    throw;
  } catch (const std::exception& fault) {
    if (is_out_of_memory()) throw;
    throw LostProcessError("process " + std::to_string(place.rank) + " of " + std::to_string(place.size) +
                           ": the others were not found at " + place.address + ", port " + std::to_string(place.port) +
                           ": " + reason(fault));
  }
}

// Closed connections could end an exchange of another process that this one has already completed.
ProcessGroup::~ProcessGroup() { connections_->wait_for_others(); }

void ProcessGroup::leave() {
  connections_->wait_for_others();
  connections_->heartbeat.leave();
}

at::Tensor ProcessGroup::all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>& received) {
  std::int64_t total = 0;
  for (const auto count : received) total += count;
  std::vector<std::int64_t> to_send(static_cast<std::size_t>(size()), sent.numel() / size()), to_receive = received;
  auto all = at::empty({total}, sent.options());
  auto flat = sent.flatten();
  connections_->exchange(
      sent, [&](c10d::Backend& backend) { return backend.alltoall_base(all, flat, to_receive, to_send, {}); });
  return all;
}

at::Tensor ProcessGroup::all_gather(const at::Tensor& part) {
  auto all = at::empty({size() * part.numel()}, part.options());
  auto flat = part.flatten();
  connections_->exchange(part, [&](c10d::Backend& backend) { return backend._allgather_base(all, flat, {}); });
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
  connections_->exchange(part, [&](c10d::Backend& backend) { return backend.gather(parts, flat, {}); });
  return all;
}

}  // namespace gloss
