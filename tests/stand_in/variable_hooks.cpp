#include <mutex>

#include <ATen/core/VariableHooksInterface.h>
#include <torch/csrc/autograd/variable.h>

#include "tests/stand_in/registration.h"

namespace gloss::stand_in {
namespace {

using at::TensorBase;

/// LibTorch's own, but for set_data.
struct VariableHooks final : at::impl::VariableHooksInterface {
  TensorBase tensor_data(const TensorBase& x) const override { return own->tensor_data(x); }
  TensorBase variable_data(const TensorBase& x) const override { return own->variable_data(x); }
  const c10::intrusive_ptr<torch::autograd::Node>& grad_fn(const TensorBase& x) const override {
    return own->grad_fn(x);
  }
  unsigned _register_hook(const TensorBase& x, std::function<TensorBase(const TensorBase&)> hook) const override {
    return own->_register_hook(x, std::move(hook));
  }
  void remove_hook(const TensorBase& x, unsigned pos) const override { own->remove_hook(x, pos); }
  bool is_view(const TensorBase& x) const override { return own->is_view(x); }
  const TensorBase& base(const TensorBase& x) const override { return own->base(x); }
  const std::string& name(const TensorBase& x) const override { return own->name(x); }
  bool is_leaf(const TensorBase& x) const override { return own->is_leaf(x); }
  std::int64_t output_nr(const TensorBase& x) const override { return own->output_nr(x); }
  TensorBase data(const TensorBase& x) const override { return own->data(x); }
  std::int64_t _version(const TensorBase& x) const override { return own->_version(x); }
  void retain_grad(const TensorBase& x) const override { own->retain_grad(x); }
  bool retains_grad(const TensorBase& x) const override { return own->retains_grad(x); }
  void _backward(const at::Tensor& x, at::TensorList inputs, const std::optional<at::Tensor>& gradient,
                 std::optional<bool> keep_graph, bool create_graph) const override {
    own->_backward(x, inputs, gradient, keep_graph, create_graph);
  }
  void requires_grad_(const TensorBase& x, bool value) const override { own->requires_grad_(x, value); }
  void basic_autograd_not_implemented_fallback(const c10::OperatorHandle& op, c10::DispatchKeySet keys,
                                               torch::jit::Stack* stack) const override {
    own->basic_autograd_not_implemented_fallback(op, keys, stack);
  }
  std::optional<c10::ScalarType> grad_dtype(const TensorBase& x) const override { return own->grad_dtype(x); }
  void set_grad_dtype(const TensorBase& x, const std::optional<c10::ScalarType>& type) const override {
    own->set_grad_dtype(x, type);
  }

  void set_data(const TensorBase& x, const TensorBase& data) const override {
    if (x.device().type() == data.device().type()) return own->set_data(x, data);
    if (auto* const meta = torch::autograd::impl::get_autograd_meta(x)) {
      const std::lock_guard lock(meta->mutex_);
      meta->grad_accumulator_.reset();
    }
    x.unsafeGetTensorImpl()->shallow_copy_from(data.getIntrusivePtr());
  }

  at::impl::VariableHooksInterface* own = at::impl::GetVariableHooks();
};

}  // namespace

void register_variable_hooks() { at::impl::SetVariableHooks(new VariableHooks); }

}  // namespace gloss::stand_in
