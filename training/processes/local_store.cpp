#include "training/processes/local_store.h"

#include <exception>
#include <string>
#include <system_error>

#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "common/error.h"
#include "common/files/descriptor.h"
#include "training/processes/c10d_message.h"
#include "training/processes/heartbeat.h"
#include "training/processes/rendezvous.h"
#include "training/processes/sockets.h"

namespace gloss {

struct LocalStore::Store {
  Descriptor socket = listen_locally(0);
  std::uint16_t port = port_of(socket);
  c10::intrusive_ptr<c10d::TCPStore> store;
};

LocalStore::LocalStore(std::int64_t processes) : store_(std::make_unique<Store>()) {
  keep_c10d_quiet();
  expect_descriptors(kDescriptors + kDescriptorsOfPeer * processes);
  c10d::TCPStoreOptions options;
  options.port = store_->port;
  options.isServer = true;
  options.waitWorkers = false;
  options.masterListenFd = store_->socket.release();
  try {
    store_->store = c10::make_intrusive<c10d::TCPStore>("127.0.0.1", options);
  } catch (const std::system_error&) {  // no thread
    throw;
  } catch (const std::exception& fault) {
    throw IoError("127.0.0.1, port " + std::to_string(store_->port) + ": " + c10d_message(fault));
  }
}

LocalStore::~LocalStore() = default;

std::uint16_t LocalStore::port() const { return store_->port; }

void LocalStore::mark_lost(std::int64_t rank) { gloss::mark_lost(*store_of_run(store_->store, kJob, "0"), rank); }

}  // namespace gloss
