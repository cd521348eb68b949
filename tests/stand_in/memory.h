#pragma once

#include <vector>

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

namespace gloss::stand_in {

constexpr auto kType = at::kPrivateUse1;
constexpr c10::DeviceIndex kDevices = 2;

struct Block;

/// While it lives, the pages of the tensors that were added to it can be read and written: it is the inside of a
/// kernel.
class OpenPages {
 public:
  OpenPages() = default;
  ~OpenPages();
  OpenPages(const OpenPages&) = delete;
  OpenPages& operator=(const OpenPages&) = delete;

  /// Opens the tensor's storage and returns a CPU tensor on the same memory.
  at::Tensor add(const at::Tensor& tensor);

 private:
  std::vector<Block*> blocks_;
};

/// Allocates whole pages for each tensor, on the current device. They are closed, and new memory holds NaN.
c10::Allocator& device_allocator();

/// Allocates memory of the host from which, and to which, copies are asynchronous.
c10::Allocator& pinned_allocator();
bool is_pinned(const void* data);

/// The current device of the calling thread.
c10::DeviceIndex& current_device();

}  // namespace gloss::stand_in
