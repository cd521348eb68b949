#include "training/processes/local_store.h"

#include <string>
#include <utility>

#include "common/system/descriptor.h"
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
  store_->store = serve_store(store_->port, std::move(store_->socket));
}

LocalStore::~LocalStore() = default;

std::uint16_t LocalStore::port() const { return store_->port; }

void LocalStore::mark_lost(std::int64_t rank) { gloss::mark_lost(*store_of_run(store_->store, kJob, "0"), rank); }

}  // namespace gloss
