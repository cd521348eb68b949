#include "training/processes/rendezvous.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <future>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <c10/util/Logging.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>

#include "common/error.h"
#include "common/log/log.h"
#include "common/system/stop.h"
#include "common/text/printable.h"
#include "training/processes/sockets.h"

namespace gloss {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};
constexpr const char* kRun = "gloss run";  // key of the store: the starter's name of the run

/// Waits until `missing` returns an empty text instead of the name of what is missing. Throws Stopped after a signal,
/// LostProcessError after kToJoin.
void wait_while_missing(const std::function<std::string()>& missing, void (&log)(std::string_view)) {
  constexpr std::chrono::seconds kSilent{5};
  const auto begin = std::chrono::steady_clock::now();
  bool logged = false;
  for (auto name = missing(); !name.empty(); name = missing()) {
    stop_where_requested();
    const auto waited = std::chrono::steady_clock::now() - begin;
    if (waited > kToJoin)
      throw LostProcessError(name + " did not start within ten minutes; see why, and go on with --resume");
    if (waited > kSilent && !std::exchange(logged, true)) log("waiting for " + name);
    std::this_thread::sleep_for(kLookEvery);
  }
}

/// Ends the wait of process 0 for the port that it has opened itself.
void refuse_address(std::string_view waiting) {
  throw UsageError("MASTER_ADDR: wanted a name or address of the machine of process 0, got another: " +
                   std::string(waiting));
}

constexpr const char* kTakenTwice = "number taken twice";

using StorePointer = c10::intrusive_ptr<c10d::TCPStore>;

/// Connects in a thread of its own: c10d waits for ever for a program that takes the connection and does not answer.
std::future<StorePointer> begin_to_connect(const ProcessPlace& place) {
  std::packaged_task<StorePointer()> task([address = place.address, port = place.port] {
    c10d::TCPStoreOptions options;
    options.port = port;
    options.waitWorkers = false;
    options.timeout = std::chrono::seconds(3);
    return c10::make_intrusive<c10d::TCPStore>(address, options);
  });
  auto store = task.get_future();
  std::thread(std::move(task)).detach();
  return store;
}

}  // namespace

c10::intrusive_ptr<c10d::TCPStore> serve_store(std::uint16_t port, Descriptor socket) {
  c10d::TCPStoreOptions options;
  options.port = port;
  options.isServer = true;
  options.waitWorkers = false;
  options.timeout = kToJoin;
  if (socket.is_open()) options.masterListenFd = socket.release();
  try {
    return c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  } catch (const std::system_error&) {  // no thread
    throw;
  } catch (const std::exception& fault) {
    throw IoError("port " + std::to_string(port) + ": the store of the processes cannot be opened there: " +
                  c10d_message(fault) + "; choose a free port (MASTER_PORT)");
  }
}

c10::intrusive_ptr<c10d::Store> open_store(const ProcessPlace& place) {
  const c10::intrusive_ptr<c10d::Store> store =
      serve_store(place.port, is_loopback(place.address) ? listen_locally(place.port) : Descriptor());
  store->set(kRun, place.job);
  return store_of_run(store, place.job, place.attempt);
}

c10::intrusive_ptr<c10d::Store> connect_to_store(const ProcessPlace& place) {
  const auto port = "port " + std::to_string(place.port);
  std::future<StorePointer> attempt;
  StorePointer store;
  const auto missing = [&]() -> std::string {
    std::string error = "no process of gloss answers there";
    if (!store && !attempt.valid()) {
      error = connection_error(place.address, place.port);
      if (error.empty()) attempt = begin_to_connect(place);
    }
    try {
      if (attempt.valid() && attempt.wait_for(kLookEvery) == std::future_status::ready) store = attempt.get();
      if (store && (place.store_is_there || store->check({kRun}))) return "";
    } catch (const std::exception& fault) {
      error = c10d_message(fault);
      store.reset();
    }
    return "process 0 at " + printable(place.address, 200) + ", " + port + " (" + error + ")";
  };
  wait_while_missing(missing, place.rank == 0 && !place.store_is_there ? refuse_address : log_warning);
  if (!place.store_is_there && store->get_to_str(kRun) != place.job)
    throw UsageError("MASTER_PORT: another run has its store at " + port + "; choose another port for one of them");
  store->setTimeout(kToJoin);
  return store_of_run(std::move(store), place.job, place.attempt);
}

void take_place_in(c10d::Store& store, const ProcessPlace& place) {
  if (store.add("process " + std::to_string(place.rank), 1) > 1) store.add(kTakenTwice, 1);
}

void meet_in(c10d::Store& store, const ProcessPlace& place) {
  constexpr auto kJoined = "joined", kSize = "size", kSizesDiffer = "sizes differ";
  const auto size = std::to_string(place.size);
  if (store.compareSet(kSize, "", size) != size) store.add(kSizesDiffer, 1);
  store.add(kJoined, 1);
  const auto missing = [&] {
    if (store.add(kTakenTwice, 0) > 0)
      throw UsageError("RANK: wanted each number in one process, got one in two of them, or another run at port " +
                       std::to_string(place.port) + " (MASTER_PORT)");
    if (store.add(kSizesDiffer, 0) > 0)
      throw UsageError("WORLD_SIZE: wanted the same number in all processes of this run, got " + size +
                       " here and another elsewhere");
    const auto others = place.size - store.add(kJoined, 0);
    return others > 0 ? std::to_string(others) + " of " + std::to_string(place.size) + " processes" : "";
  };
  wait_while_missing(missing, log_info);
}

c10::intrusive_ptr<c10d::Store> store_of_run(c10::intrusive_ptr<c10d::Store> store, const std::string& job,
                                             const std::string& attempt) {
  return c10::make_intrusive<c10d::PrefixStore>("gloss/" + job + '/' + attempt, std::move(store));
}

std::string c10d_message(const std::exception& fault) {
  constexpr std::string_view kBeforeMessageOfNccl = "Last error:\n";
  std::string what = fault.what();
  if (const auto place = what.find(kBeforeMessageOfNccl); place != what.npos)
    what.erase(0, place + kBeforeMessageOfNccl.size());
  what.resize(std::min(what.size(), what.find('\n')));
  if (what.ends_with('.')) what.pop_back();
  return what;
}

void keep_c10d_quiet() {
  constexpr int kOnlyFatal = 3;
  FLAGS_caffe2_log_level = kOnlyFatal;
}

}  // namespace gloss
