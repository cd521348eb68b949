#pragma once

#include <cstdint>
#include <limits>

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace gloss::stand_in {

/// Copies between host and device, or between devices. A copy between pinned memory and a device that does not block
/// arrives with the next wait for that device only: until then its target on the host holds other values, and its
/// source on the host must not change.
void transfer(const at::Tensor& from, const at::Tensor& to, bool non_blocking);

/// Returns the number of copies that were begun, as the time of an event.
std::uint64_t copies_begun();

/// Completes the copies of a device that were begun before `time`. Throws if the source of one was changed meanwhile.
void complete_copies(c10::DeviceIndex device, std::uint64_t time = std::numeric_limits<std::uint64_t>::max());

/// Completes the copies, too, and counts a wait of the host.
void wait_for(c10::DeviceIndex device, std::uint64_t time = std::numeric_limits<std::uint64_t>::max());

/// Counts a transfer that an operator makes by itself, for which the host waits.
void count_transfer(c10::DeviceIndex device, bool to_host);
void count_kernel();

}  // namespace gloss::stand_in
