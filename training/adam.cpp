#include "training/adam.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "common/error.h"
#include "tensor/accelerator.h"

namespace gloss {
namespace {

// The formula of torch.nn.utils.clip_grad_norm_.
constexpr double kNormEpsilon = 1e-6;

void keep_plainly(Adam::Slot& slot, bool with_ema) {
  const at::NoGradGuard no_grad;
  const auto zeros = [&] { return at::zeros_like(slot.parameter, {}, at::MemoryFormat::Contiguous); };
  slot.m = zeros();
  slot.v = zeros();
  if (with_ema) (slot.ema = zeros()).copy_(slot.parameter);
}

}  // namespace

std::vector<std::pair<std::string, at::Tensor>> named_parameters(const EncoderDecoder& model) {
  std::vector<std::pair<std::string, at::Tensor>> parameters;
  for (const auto& item : model->named_parameters()) parameters.emplace_back(item.key(), item.value());
  return parameters;
}

double clip_factor(double norm, double clip_norm) {
  return clip_norm > 0 ? std::min(1.0, clip_norm / (norm + kNormEpsilon)) : 1;
}

at::Tensor clip_factor(const at::Tensor& norm, double clip_norm) {
  return clip_norm > 0 ? (clip_norm / (norm + kNormEpsilon)).clamp_max(1) : at::ones_like(norm);
}

Adam::Adam(std::vector<std::pair<std::string, at::Tensor>> parameters, const TrainingConfig& config, Path path,
           Workers* workers, Exchange& exchange)
    : exchange_(&exchange),
      beta1_(config.beta1),
      beta2_(config.beta2),
      epsilon_(config.epsilon),
      ema_decay_(config.ema_decay) {
  std::ranges::sort(parameters, {}, &std::pair<std::string, at::Tensor>::first);
  std::map<const void*, std::string> seen;
  for (auto& [name, parameter] : parameters) {
    const auto [first, is_new] = seen.emplace(parameter.unsafeGetTensorImpl(), name);
    if (!is_new)
      throw ShapeError(name + ": wanted every parameter once, got the tensor of " + first->second + " again");
    slots_.push_back({.name = std::move(name), .parameter = parameter, .is_trained = parameter.requires_grad()});
    if (parameter.requires_grad()) trained_.push_back(slots_.back().parameter);
  }
  if (path == Path::kFastest && FlatAdam::can_keep(trained_)) flat_.emplace(trained_, has_ema(), workers, exchange);
  if (flat_ && exchange.is_alone()) slots_ = slots_with_state();
  for (Slot& slot : slots_)
    if (!flat_ && slot.is_trained) keep_plainly(slot, has_ema());
}

std::vector<Adam::Slot> Adam::slots_with_state() const {
  if (!flat_) return slots_;
  const auto m = flat_->state(State::kM, /*everywhere=*/false);
  const auto v = flat_->state(State::kV, /*everywhere=*/false);
  const auto ema =
      has_ema() ? flat_->state(State::kEma, /*everywhere=*/false) : std::vector<at::Tensor>(trained_.size());
  auto slots = slots_;
  std::size_t next = 0;
  for (Slot& slot : slots) {
    if (!slot.is_trained) continue;
    slot.m = m[next];
    slot.v = v[next];
    slot.ema = ema[next++];
  }
  return slots;
}

std::vector<Adam::Ema> Adam::emas() const {
  std::vector<Ema> emas;
  if (!has_ema()) return emas;
  if (flat_) {
    const auto all = flat_->state(State::kEma, /*everywhere=*/true);
    for (std::size_t i = 0; i < trained_.size(); ++i) emas.push_back({trained_[i], all[i]});
    return emas;
  }
  for (const Slot& slot : slots_)
    if (slot.is_trained) emas.push_back({slot.parameter, slot.ema});
  return emas;
}

void Adam::set_state(State kind, std::size_t slot, const at::Tensor& values) {
  const Slot& kept = slots_[slot];
  if (!flat_) {
    const at::NoGradGuard no_grad;
    (kind == State::kM ? kept.m : kind == State::kV ? kept.v : kept.ema).copy_(values);
    return;
  }
  const auto trained =
      std::ranges::count_if(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(slot), &Slot::is_trained);
  flat_->set_state(kind, static_cast<std::size_t>(trained), values);
}

bool Adam::decides_on_device() const { return !flat_ && is_accelerator(slots_.front().parameter.device()); }

at::Tensor Adam::set_gradients(Gradients gradients) {
  const at::NoGradGuard no_grad;
  if (flat_) {
    const double squares = flat_->set_gradients(gradients);
    const bool fits = squares <= std::numeric_limits<float>::max();
    return at::scalar_tensor(fits ? std::sqrt(squares) : std::numeric_limits<double>::infinity(), at::kDouble);
  }
  gradients_ = std::move(gradients);
  std::vector<at::Tensor> norms;
  for (const auto& gradient : gradients_)
    if (gradient.defined()) norms.push_back(at::linalg_vector_norm(gradient));
  if (norms.empty()) return at::zeros({}, slots_.front().parameter.options().dtype(at::kDouble).requires_grad(false));
  return at::linalg_vector_norm(at::stack(norms)).to(at::kDouble);
}

void Adam::step(const Update& update) {
  const auto step = static_cast<double>(update.step);
  const double ema_weight = 1 - std::min(ema_decay_, (1 + step) / (10 + step));
  if (!flat_) return plain_step(update, ema_weight);
  flat_->step({.gradient_factor = static_cast<float>(update.gradient_factor),
               .one_minus_beta1 = static_cast<float>(1 - beta1_),
               .beta2 = static_cast<float>(beta2_),
               .one_minus_beta2 = static_cast<float>(1 - beta2_),
               .step_size = static_cast<float>(update.learning_rate / (1 - std::pow(beta1_, step))),
               .root_of_correction = static_cast<float>(std::sqrt(1 - std::pow(beta2_, step))),
               .epsilon = static_cast<float>(epsilon_),
               .ema_weight = static_cast<float>(ema_weight)});
}

void Adam::plain_step(const Update& update, double ema_weight) {
  const at::NoGradGuard no_grad;
  const auto options = slots_.front().parameter.options().dtype(at::kFloat).requires_grad(false);
  const auto scalar = [&](double value) { return at::full({}, value, options); };
  const auto step = scalar(static_cast<double>(update.step));
  const auto factor =
      update.factor_on_device.defined() ? update.factor_on_device.to(at::kFloat) : scalar(update.gradient_factor);
  const auto& skip = update.skip_on_device;
  const auto weight = skip.defined() ? (1 - skip) * ema_weight : scalar(ema_weight);
  std::vector<at::Tensor> parameters, gradients, m, v;
  std::size_t next = 0;
  for (const Slot& slot : slots_) {
    if (!slot.is_trained) continue;
    const auto gradient = next < gradients_.size() ? gradients_[next] : at::Tensor();
    ++next;
    if (!gradient.defined()) continue;
    parameters.push_back(slot.parameter);
    gradients.push_back(gradient.contiguous());
    m.push_back(slot.m);
    v.push_back(slot.v);
  }
  if (!parameters.empty())
    at::_fused_adam_(parameters, at::_foreach_mul(gradients, factor), m, v, {}, std::vector(parameters.size(), step),
                     update.learning_rate, beta1_, beta2_, /*weight_decay=*/0, epsilon_, /*amsgrad=*/false,
                     /*maximize=*/false, /*grad_scale=*/{}, skip.defined() ? std::optional(skip) : std::nullopt);
  for (const Slot& slot : slots_)
    if (slot.ema.defined()) slot.ema.lerp_(slot.parameter, weight);
  clear_gradients();
}

void Adam::clear_gradients() {
  if (flat_) flat_->clear_gradients();
  gradients_.clear();
}

}  // namespace gloss
