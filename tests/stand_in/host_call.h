#pragma once

#include <optional>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

#include "tests/stand_in/memory.h"

namespace gloss::stand_in {

/// One operator with tensors of a stand-in device, computed by LibTorch's kernel for the CPU on the open pages of these
/// tensors. Results move to new memory of the device.
class HostCall {
 public:
  HostCall(const c10::OperatorHandle& op, torch::jit::Stack& stack) : op_(op), stack_(stack) {}
  void run();

  /// The boxed kernel of all operators.
  static void run_boxed(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack);

 private:
  struct Argument {
    at::Tensor device, host;
    bool is_written;
  };

  void note_device(at::Device device);
  c10::IValue on_host(const c10::IValue& value, const c10::Argument& declared);
  at::Tensor on_host(const at::Tensor& tensor, bool is_written);
  c10::IValue on_device(const c10::IValue& value);
  at::Tensor on_device(const at::Tensor& tensor);
  bool waits() const;

  const c10::OperatorHandle& op_;
  torch::jit::Stack& stack_;
  std::optional<at::Device> device_;
  bool has_host_indices_ = false, has_masks_ = false;
  std::vector<Argument> arguments_;
  OpenPages pages_;
};

}  // namespace gloss::stand_in
