#include "tests/stand_in/host_call.h"

#include <cstring>
#include <set>
#include <string>

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/record_function.h>
#include <c10/util/Exception.h>

#include "tests/stand_in/registration.h"
#include "tests/stand_in/transfers.h"

namespace gloss::stand_in {

void HostCall::run_boxed(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  HostCall(op, *stack).run();
}

void HostCall::run() {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  const at::DisableRecordFunctionGuard one_kernel;  // whatever the CPU's kernel calls
  const auto& schema = op_.schema();
  const auto begin = stack_.size() - schema.arguments().size();
  for (std::size_t i = 0; i < schema.arguments().size(); ++i)
    if (stack_[begin + i].isDevice()) note_device(stack_[begin + i].toDevice());
  for (std::size_t i = 0; i < schema.arguments().size(); ++i)
    stack_[begin + i] = on_host(stack_[begin + i], schema.arguments()[i]);
  TORCH_CHECK(device_.has_value(), "stand-in device: ", schema.name(), " without a tensor of the device");
  count_kernel();
  if (has_host_indices_) count_transfer(device_->index(), /*to_host=*/false);
  if (waits()) count_transfer(device_->index(), /*to_host=*/true);

  op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), &stack_);

  for (const auto& [device, host, is_written] : arguments_) {
    if (!is_written || host.sizes() == device.sizes()) continue;
    device.resize_(host.sizes());
    pages_.add(device).copy_(host);
  }
  const auto first_result = stack_.size() - schema.returns().size();
  for (auto i = first_result; i < stack_.size(); ++i) stack_[i] = on_device(stack_[i]);
}

void HostCall::note_device(at::Device device) {
  if (device.is_cpu()) return;
  TORCH_CHECK(!device_ || *device_ == device, "Expected all tensors to be on the same device, but ",
              op_.schema().name(), " got some on ", *device_, " and on ", device);
  device_ = device;
}

c10::IValue HostCall::on_host(const c10::IValue& value, const c10::Argument& declared) {
  const bool is_written = declared.alias_info() != nullptr && declared.alias_info()->isWrite();
  if (value.isTensor()) return on_host(value.toTensor(), is_written);
  if (value.isTensorList()) {
    c10::List<at::Tensor> tensors;
    for (const auto& tensor : value.toTensorVector()) tensors.push_back(on_host(tensor, is_written));
    return tensors;
  }
  if (value.isOptionalTensorList()) {  // indices, which may lie on the host
    c10::List<std::optional<at::Tensor>> tensors;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      const bool is_there = tensor && tensor->defined();
      if (is_there && tensor->is_cpu()) has_host_indices_ = true;
      if (is_there && (tensor->scalar_type() == at::kBool || tensor->scalar_type() == at::kByte)) has_masks_ = true;
      tensors.push_back(is_there && !tensor->is_cpu() ? on_host(*tensor, is_written) : tensor);
    }
    return tensors;
  }
  if (value.isDevice()) return at::Device(at::kCPU);
  if (declared.name() == "generator") {
    const auto index = device_ ? device_->index() : current_device();
    return host_generator(value.isNone() ? default_generator(index) : value.toGenerator());
  }
  return value;
}

at::Tensor HostCall::on_host(const at::Tensor& tensor, bool is_written) {
  if (!tensor.defined()) return tensor;
  if (tensor.is_cpu()) {
    TORCH_CHECK(tensor.dim() == 0 && !is_written, "Expected all tensors to be on the same device, but ",
                op_.schema().name(), " got some on the stand-in device and on the CPU");
    return tensor;
  }
  note_device(tensor.device());
  // An empty tensor for a result may be resized, which memory of another cannot.
  auto host = is_written && tensor.numel() == 0 ? at::empty(tensor.sizes(), tensor.options().device(at::kCPU))
                                                : pages_.add(tensor);
  arguments_.push_back({tensor, host, is_written});
  return host;
}

c10::IValue HostCall::on_device(const c10::IValue& value) {
  if (value.isTensor()) return on_device(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> tensors;
  for (const auto& tensor : value.toTensorVector()) tensors.push_back(on_device(tensor));
  return tensors;
}

at::Tensor HostCall::on_device(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  for (const auto& argument : arguments_)
    if (argument.host.is_same(tensor)) return argument.device;
  const auto result = tensor.is_non_overlapping_and_dense() ? tensor : tensor.contiguous();
  const auto copy = at::empty_strided(result.sizes(), result.strides(), result.options().device(*device_));
  if (result.numel() > 0) std::memcpy(pages_.add(copy).mutable_data_ptr(), result.const_data_ptr(), result.nbytes());
  return copy;
}

// Returns whether the host needs a value of the device to go on, such as the number of rows of the result.
bool HostCall::waits() const {
  static const std::set<std::string> names{"aten::nonzero",  "aten::masked_select",      "aten::equal",
                                           "aten::_unique2", "aten::unique_consecutive", "aten::unique_dim",
                                           "aten::bincount", "aten::multinomial"};
  // That of repeat_interleave, which the host would otherwise read in the repeats.
  const auto size = op_.schema().argumentIndexWithName("output_size");
  if (size && stack_[stack_.size() - op_.schema().arguments().size() + static_cast<std::size_t>(*size)].isNone())
    return true;
  return has_masks_ || names.contains(op_.schema().name());
}

}  // namespace gloss::stand_in
