#include <ATen/EmptyTensor.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_local_scalar_dense.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "tests/stand_in/host_call.h"
#include "tests/stand_in/memory.h"
#include "tests/stand_in/registration.h"
#include "tests/stand_in/transfers.h"

namespace gloss::stand_in {
namespace {

const c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                 std::optional<at::Device> device, std::optional<bool>, std::optional<at::MemoryFormat> format) {
  const c10::DeviceGuard guard(device.value_or(at::Device(kType)));
  return at::detail::empty_generic(size, &device_allocator(), kKeys, c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride, std::optional<at::ScalarType> type,
                         std::optional<at::Layout>, std::optional<at::Device> device, std::optional<bool>) {
  const c10::DeviceGuard guard(device.value_or(at::Device(kType)));
  return at::detail::empty_strided_generic(size, stride, &device_allocator(), kKeys, c10::dtype_or_default(type));
}

const at::Tensor& resize(const at::Tensor& self, at::IntArrayRef size, std::optional<at::MemoryFormat>) {
  const auto bytes = at::detail::computeStorageNbytesContiguous(size, self.dtype().itemsize(),
                                                                static_cast<std::size_t>(self.storage_offset()));
  if (bytes > self.storage().nbytes()) {
    const c10::DeviceGuard guard(self.device());
    const auto larger = at::empty({static_cast<std::int64_t>(bytes)}, self.options().dtype(at::kByte));
    if (self.storage().nbytes() > 0) {
      const auto before = at::empty({0}, larger.options()).set_(self.storage());
      larger.narrow(0, 0, before.numel()).copy_(before);
    }
    auto* const storage = self.storage().unsafeGetStorageImpl();
    storage->set_data_ptr_noswap(std::move(larger.storage().unsafeGetStorageImpl()->_mutable_data_ptr_no_checks()));
    storage->set_nbytes(bytes);
  }
  self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
  return self;
}

at::Tensor copy_from(const at::Tensor& self, const at::Tensor& to, bool non_blocking) {
  transfer(self, to, non_blocking);
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& self, const at::Tensor& to) {
  to.resize_(self.sizes());
  transfer(self, to, /*non_blocking=*/false);
  return to;
}

at::Scalar value_of(const at::Tensor& self) {
  count_transfer(self.device().index(), /*to_host=*/true);
  OpenPages pages;
  return at::_local_scalar_dense(pages.add(self));
}

// By hand, since the CPU's kernel draws from the CPU's generator.
std::tuple<at::Tensor, at::Tensor> dropout(const at::Tensor& x, double p, std::optional<bool> train) {
  if (!train.value_or(true) || p == 0) return {x.clone(), at::ones_like(x, at::kBool)};
  const auto kept = at::empty_like(x, at::kBool).bernoulli_(1 - p);
  return {x.mul(kept).mul_(1 / (1 - p)), kept};
}

}  // namespace

void register_operators() {
  static torch::Library fallback(torch::Library::IMPL, "_", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  fallback.fallback(torch::CppFunction::makeFromBoxedFunction<&HostCall::run_boxed>());

  static torch::Library m(torch::Library::IMPL, "aten", c10::DispatchKey::PrivateUse1, __FILE__, __LINE__);
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("as_strided", at::native::as_strided_tensorimpl);
  m.impl("view", at::native::view);
  m.impl("_reshape_alias", at::native::_reshape_alias);
  m.impl("resize_", resize);
  m.impl("set_.source_Storage", static_cast<at::Tensor& (*)(at::Tensor&, at::Storage)>(at::native::set_));
  m.impl("set_.source_Storage_storage_offset", at::native::set_storage_cpu_);
  m.impl("set_.source_Tensor", at::native::set_tensor_);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", value_of);
  m.impl("native_dropout", dropout);
}

}  // namespace gloss::stand_in
