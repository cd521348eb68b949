#include "training/adam.h"

#include <algorithm>
#include <map>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"

namespace gloss {
namespace {

// As torch.nn.utils.clip_grad_norm_ has it.
constexpr double kNormEpsilon = 1e-6;

}  // namespace

std::vector<std::pair<std::string, at::Tensor>> named_parameters(const EncoderDecoder& model) {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  for (const auto& item : model->named_parameters()) parameters.emplace_back(item.key(), item.value());
  return parameters;
}

Adam::Adam(std::vector<std::pair<std::string, at::Tensor>> parameters, const TrainingConfig& config)
    : beta1_(config.beta1), beta2_(config.beta2), epsilon_(config.epsilon) {
  std::ranges::sort(parameters, {}, &std::pair<std::string, at::Tensor>::first);
  std::map<const void*, std::string> seen;
  slots_.reserve(parameters.size());
  for (auto& [name, parameter] : parameters) {
    const auto [first, is_new] = seen.emplace(parameter.unsafeGetTensorImpl(), name);
    if (!is_new)
      throw ShapeError(name + ": wanted every parameter once, got the tensor of " + first->second + " again");
    slots_.push_back({std::move(name), parameter, at::zeros_like(parameter, {}, at::MemoryFormat::Contiguous),
                      at::zeros_like(parameter, {}, at::MemoryFormat::Contiguous)});
  }
}

void Adam::step(std::int64_t step, double learning_rate) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> parameters, gradients, m, v, steps;
  at::Tensor step_as_tensor;  // one value for all
  for (const Slot& slot : slots_) {
    if (!slot.parameter.grad().defined()) continue;
    if (!step_as_tensor.defined())
      step_as_tensor = at::full({}, static_cast<double>(step), slot.parameter.options().dtype(at::kFloat));
    parameters.push_back(slot.parameter);
    gradients.push_back(slot.parameter.grad().contiguous());
    m.push_back(slot.m);
    v.push_back(slot.v);
    steps.push_back(step_as_tensor);
  }
  if (!parameters.empty())
    at::_fused_adam_(parameters, gradients, m, v, {}, steps, learning_rate, beta1_, beta2_, /*weight_decay=*/0,
                     epsilon_,
                     /*amsgrad=*/false, /*maximize=*/false);
  clear_gradients();
}

double Adam::scale_and_clip(double factor, double clip_norm) {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> norms;
  for (const Slot& slot : slots_)
    if (slot.parameter.grad().defined()) norms.push_back(at::linalg_vector_norm(slot.parameter.grad()));
  if (norms.empty()) return 0;

  const double norm = factor * at::linalg_vector_norm(at::stack(norms)).item<double>();
  if (clip_norm > 0) factor *= std::min(1.0, clip_norm / (norm + kNormEpsilon));
  for (const Slot& slot : slots_)
    if (slot.parameter.grad().defined()) slot.parameter.grad().mul_(factor);
  return norm;
}

void Adam::clear_gradients() {
  for (const Slot& slot : slots_) slot.parameter.mutable_grad().reset();
}

}  // namespace gloss
