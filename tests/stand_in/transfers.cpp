#include "tests/stand_in/transfers.h"

#include <atomic>
#include <cstring>
#include <limits>
#include <list>
#include <mutex>
#include <utility>

#include <c10/util/Exception.h>

#include "tests/stand_in/memory.h"
#include "tests/stand_in/stand_in.h"

namespace gloss {
namespace stand_in {
namespace {

/// An asynchronous copy that has not arrived.
struct PendingCopy {
  std::uint64_t number;
  c10::DeviceIndex device;
  at::Tensor host;    // its end on the host
  at::Tensor values;  // that it copies
  bool to_host;
};

struct Transfers {
  std::mutex mutex;
  std::list<PendingCopy> pending;
  std::uint64_t begun = 0;
  std::atomic<std::int64_t> to_device = 0, to_host = 0, synchronizations = 0, kernels = 0;
};

Transfers& transfers() {
  static auto* const all = new Transfers;
  return *all;
}

void begin_copy(const at::Tensor& host, at::Tensor values, c10::DeviceIndex device, bool to_host) {
  const std::lock_guard lock(transfers().mutex);
  transfers().pending.push_back({transfers().begun++, device, host, std::move(values), to_host});
}

// Returns values that differ from these in each element.
at::Tensor other_values(const at::Tensor& values) {
  if (values.is_floating_point()) return at::full_like(values, std::numeric_limits<double>::quiet_NaN());
  return values.scalar_type() == at::kBool ? values.logical_not() : values.bitwise_not();
}

bool has_same_bytes(const at::Tensor& a, const at::Tensor& b) {
  const auto left = a.contiguous(), right = b.contiguous();
  return left.nbytes() == 0 || std::memcmp(left.const_data_ptr(), right.const_data_ptr(), left.nbytes()) == 0;
}

}  // namespace

void transfer(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const at::NoGradGuard no_grad;
  const auto source = from.expand_as(to);
  OpenPages pages;
  if (!from.is_cpu() && !to.is_cpu()) {
    count_kernel();
    pages.add(to).copy_(pages.add(source));
    return;
  }
  const auto device = (from.is_cpu() ? to : from).device().index();
  const bool is_asynchronous = non_blocking && is_pinned((from.is_cpu() ? from : to).const_data_ptr());
  if (from.is_cpu()) {
    ++transfers().to_device;
    pages.add(to).copy_(source);
    if (is_asynchronous) return begin_copy(from, from.clone(), device, false);
    return wait_for(device);  // pageable memory, too, which the driver may copy at once or after all work
  }
  ++transfers().to_host;
  const auto values = pages.add(source).to(to.scalar_type(), /*non_blocking=*/false, /*copy=*/true);
  if (is_asynchronous) {
    to.copy_(other_values(values));
    return begin_copy(to, values, device, true);
  }
  wait_for(device);
  to.copy_(values);
}

std::uint64_t copies_begun() {
  const std::lock_guard lock(transfers().mutex);
  return transfers().begun;
}

void complete_copies(c10::DeviceIndex device, std::uint64_t time) {
  const at::NoGradGuard no_grad;
  std::list<PendingCopy> complete;
  {
    const std::lock_guard lock(transfers().mutex);
    for (auto next = transfers().pending.begin(); next != transfers().pending.end();) {
      const auto copy = next++;
      if (copy->device == device && copy->number < time) complete.splice(complete.end(), transfers().pending, copy);
    }
  }
  for (const auto& copy : complete) {
    if (copy.to_host)
      copy.host.copy_(copy.values);
    else
      TORCH_CHECK(has_same_bytes(copy.host, copy.values),
                  "stand-in device: the source of an asynchronous copy was changed before the copy had arrived");
  }
}

void wait_for(c10::DeviceIndex device, std::uint64_t time) {
  ++transfers().synchronizations;
  complete_copies(device, time);
}

void count_transfer(c10::DeviceIndex device, bool to_host) {
  ++(to_host ? transfers().to_host : transfers().to_device);
  wait_for(device);
}

void count_kernel() { ++transfers().kernels; }

}  // namespace stand_in

StandInCounts stand_in_counts() {
  const auto& all = stand_in::transfers();
  return {.to_device = all.to_device,
          .to_host = all.to_host,
          .synchronizations = all.synchronizations,
          .kernels = all.kernels};
}

void reset_stand_in_counts() {
  auto& all = stand_in::transfers();
  all.to_device = all.to_host = all.synchronizations = all.kernels = 0;
}

}  // namespace gloss
