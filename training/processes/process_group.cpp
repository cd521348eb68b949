// Chooses parts of c10d's headers.
#define USE_C10D_GLOO
#define USE_DISTRIBUTED

#include "training/processes/process_group.h"

#include <chrono>
#include <exception>
#include <functional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <ATen/Functions.h>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <unistd.h>

#include "common/error.h"
#include "common/log/log.h"
#include "common/system/descriptor.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "tensor/out_of_memory.h"
#include "training/processes/heartbeat.h"
#include "training/processes/nccl.h"
#include "training/processes/rendezvous.h"
#include "training/processes/sockets.h"

namespace gloss {
namespace {

// The time limit of c10d's exchanges is never reached: a slow operation is no fault, and the heartbeat finds lost
// processes.
constexpr std::chrono::hours kUnlimited{24 * 365};

// The main thread may wait in an exchange. stderr may have no reader, so this waits for it as little as possible.
[[noreturn]] void end_lost(const std::string& message) {
  const auto line = "gloss: " + log_process() + message + "; go on with --resume\n";
  constexpr int kMilliseconds = 1000;
  if (writable_within(STDERR_FILENO, kMilliseconds))
    static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
  ::_exit(static_cast<int>(ExitCode::kLostProcess));
}

/// Returns the network device of Gloo: the interface of GLOO_SOCKET_IFNAME, or that from which process 0 is reached.
/// Processes that meet at the loopback interface use no other.
std::shared_ptr<::gloo::transport::Device> network_device(const ProcessPlace& place) {
  const auto address = own_address(place.address, place.port);
  if (const auto interface = environment_variable("GLOO_SOCKET_IFNAME").value_or("");
      !interface.empty() && !is_loopback(place.address)) {
    try {
      return c10d::ProcessGroupGloo::createDeviceForInterface(interface);
    } catch (const std::system_error&) {  // no thread
      throw;
    } catch (const std::exception&) {
      throw UsageError("GLOO_SOCKET_IFNAME: wanted a network interface of this machine that has an address, got " +
                       printable(interface, 200));
    }
  }
  if (is_loopback(address) && !is_loopback(place.address) && place.local_size < place.size)
    throw UsageError("MASTER_ADDR: " + printable(place.address, 200) + " is " + address +
                     " on this machine, which others cannot reach; name the machine by its address, or the network's "
                     "interface by GLOO_SOCKET_IFNAME");
  return c10d::ProcessGroupGloo::createDeviceForHostname(address);
}

/// Waits for an operation of Gloo.
void wait(const std::function<c10::intrusive_ptr<c10d::Work>()>& begin) {
  try {
    begin()->wait();
  } catch (const std::exception& fault) {  // Gloo's message has the connection only
    if (is_out_of_memory()) throw;
    stop_where_requested();  // another process has stopped, and its heartbeat has passed that on
    const std::string what = fault.what();
    const auto address = what.find("peer [");
    throw LostProcessError(
        "the connection to another process of this run is lost" +
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
    throw LostProcessError("the GPUs of this run cannot exchange data: " + c10d_message(fault) +
                           "; mend that, and go on with --resume");
  }
}

}  // namespace

ExchangeLibraries exchange_libraries() { return {.gloo = true, .nccl = nccl_version()}; }

struct ProcessGroup::Connections {
  Connections(const ProcessPlace& place, at::Device device)
      : gloo_device(network_device(place)),
        store(place.rank == 0 && !place.store_is_there ? open_store(place) : connect_to_store(place)),
        heartbeat(connect_to_take_place(place), place.rank, place.size, end_lost) {
    auto options = c10d::ProcessGroupGloo::Options::create();
    options->timeout = kToJoin;
    options->threads = 1;  // for one operation at a time; c10d ends the program if it gets the first of several only
    options->devices.push_back(gloo_device);
    meet_in(*store, place);
    group = c10::make_intrusive<c10d::ProcessGroupGloo>(store, static_cast<int>(place.rank),
                                                        static_cast<int>(place.size), options);
    group->setTimeout(kUnlimited);
    if (device.is_cuda()) nccl = nccl_backend(store, place.rank, place.size, kUnlimited);
  }
  ~Connections() { static_cast<void>(nccl.release()); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Returns whether tensors of a device other than CUDA's go through memory of the host.
  bool through_host(const at::Tensor& tensor) const { return !tensor.is_cpu() && !nccl; }

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

  c10::intrusive_ptr<c10d::Store> connect_to_take_place(const ProcessPlace& place) const {
    take_place_in(*store, place);
    return connect_to_store(place);
  }

  static constexpr const char* kLeaving = "leaving";       // the number of processes that leave
  std::shared_ptr<::gloo::transport::Device> gloo_device;  // made first: a wrong address needs no waiting
  c10::intrusive_ptr<c10d::Store> store;
  Heartbeat heartbeat;
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
  c10::intrusive_ptr<c10d::Backend> nccl;  // of a process on a GPU
  bool leaves = false;
};

ProcessGroup::ProcessGroup(const ProcessPlace& place, at::Device device) : Exchange(place.rank, place.size) {
  keep_c10d_quiet();
  expect_descriptors(kDescriptors + kDescriptorsOfPeer * place.size);
  try {
    connections_ = std::make_unique<Connections>(place, device);
  } catch (const Error&) {
    throw;
  } catch (const std::system_error&) {  // no thread
    throw;
  } catch (const std::exception& fault) {
    if (is_out_of_memory()) throw;
    throw LostProcessError("process " + std::to_string(place.rank) + " of " + std::to_string(place.size) +
                           ": the others were not found at " + place.address + ", port " + std::to_string(place.port) +
                           ": " + c10d_message(fault));
  }
}

// Closed connections could end an exchange of another process that this one has already completed.
ProcessGroup::~ProcessGroup() { connections_->wait_for_others(); }

void ProcessGroup::leave() {
  connections_->wait_for_others();
  connections_->heartbeat.leave();
}

at::Tensor ProcessGroup::all_to_all(const at::Tensor& sent, const std::vector<std::int64_t>& received) {
  if (connections_->through_host(sent)) return all_to_all(sent.cpu(), received).to(sent.device());
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
  if (connections_->through_host(part)) return all_gather(part.cpu()).to(part.device());
  auto all = at::empty({size() * part.numel()}, part.options());
  auto flat = part.flatten();
  connections_->exchange(part, [&](c10d::Backend& backend) { return backend._allgather_base(all, flat, {}); });
  return all;
}

at::Tensor ProcessGroup::gather(const at::Tensor& part) {
  if (connections_->through_host(part)) {
    const auto all = gather(part.cpu());
    return all.defined() ? all.to(part.device()) : all;
  }
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

struct LocalStore::Store {
  Descriptor socket = listen_locally(0);
  std::uint16_t port = port_of(socket);
  c10::intrusive_ptr<c10d::TCPStore> store;
};

LocalStore::LocalStore(std::int64_t processes) : store_(std::make_unique<Store>()) {
  keep_c10d_quiet();
  expect_descriptors(kDescriptors + kDescriptorsOfPeer * processes);
  store_->store = serve_store(store_->port, std::move(store_->socket));
}

LocalStore::~LocalStore() = default;

std::uint16_t LocalStore::port() const { return store_->port; }

void LocalStore::mark_lost(std::int64_t rank) { gloss::mark_lost(*store_of_run(store_->store, kJob, "0"), rank); }

}  // namespace gloss
