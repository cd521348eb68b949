// Replaces process_group.cpp in a build without the headers of Gloo.
#include "common/error.h"
#include "training/processes/process_group.h"

namespace gloss {
namespace {

[[noreturn]] void refuse() {
  throw UsageError(
      "several processes: this gloss was built without Gloo; install libgloo-dev and build it again, or start one "
      "process");
}

}  // namespace

struct LocalStore::Store {};
LocalStore::LocalStore(std::int64_t) { refuse(); }
LocalStore::~LocalStore() = default;
std::uint16_t LocalStore::port() const { refuse(); }
void LocalStore::mark_lost(std::int64_t) { refuse(); }

ExchangeLibraries exchange_libraries() { return {}; }

void set_up_gpu_exchange(const ProcessPlace&, at::Device) { refuse(); }

struct ProcessGroup::Connections {};
ProcessGroup::ProcessGroup(const ProcessPlace& place, at::Device) : Exchange(place.rank, place.size) { refuse(); }
ProcessGroup::~ProcessGroup() = default;
void ProcessGroup::leave() { refuse(); }
at::Tensor ProcessGroup::all_to_all(const at::Tensor&, const std::vector<std::int64_t>&) { refuse(); }
at::Tensor ProcessGroup::all_gather(const at::Tensor&) { refuse(); }
at::Tensor ProcessGroup::gather(const at::Tensor&) { refuse(); }

}  // namespace gloss
