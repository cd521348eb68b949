#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/encoder_decoder.h"
#include "training/flat_adam.h"
#include "training/gradients.h"
#include "training/training_config.h"

namespace gloss {

/// Returns a model's parameters by name; tied ones appear once.
std::vector<std::pair<std::string, at::Tensor>> named_parameters(const EncoderDecoder& model);

/// Returns the factor that reduces a gradient of norm `norm` to at most `clip_norm` (0: no limit).
double clip_factor(double norm, double clip_norm);
/// Computes the same on the device of the norm, a scalar.
at::Tensor clip_factor(const at::Tensor& norm, double clip_norm);

/// Adam (Kingma and Ba 2015, algorithm 1) over a model's parameters, each once, in the order of their names:
///
///     m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
///     parameter -= learning_rate * (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon)
///
/// and, if `ema_decay` is positive, an exponential moving average (EMA) of the parameters, which starts with their
/// values. Its decay is smaller at first, as in Marian and TensorFlow:
///
///     decay = min(ema_decay, (1 + step) / (10 + step))          ema = decay ema + (1 - decay) parameter
///
/// On the CPU an update takes two passes over memory, and several processes divide it (training/flat_adam.h). On other
/// devices LibTorch's operations do the work; each of several processes has the whole state and does the same.
class Adam {
 public:
  struct Slot {
    std::string name;
    at::Tensor parameter;       ///< shared with the model
    at::Tensor m = {}, v = {};  ///< moving averages of the gradient and the squared gradient, of the parameter's shape
    at::Tensor ema = {};        ///< EMA of the parameter; undefined if ema_decay is 0
    bool is_trained = true;     ///< false for a frozen parameter: it requires no gradient and has no optimizer state
  };

  enum class Path { kFastest, kPlain };

  /// `parameters`: pairs of name and tensor, each tensor once. Parameters that do not require a gradient now are
  /// frozen. kPlain uses LibTorch's operations on the CPU, too, for comparison. `workers`, if not null, divide the work
  /// on the CPU, without effect on the bits. They and `exchange` must outlive this. Throws ShapeError for a repeated
  /// tensor.
  Adam(std::vector<std::pair<std::string, at::Tensor>> parameters, const TrainingConfig& config,
       Path path = Path::kFastest, Workers* workers = nullptr, Exchange& exchange = no_exchange());

  /// Returns the parameters that have gradients, in the order of the names.
  const std::vector<at::Tensor>& trained() const { return trained_; }

  /// Returns whether several processes divide the state and the work (FlatAdam).
  bool divides_state() const { return flat_.has_value() && !exchange_->is_alone(); }

  /// Returns whether the parameters are on a GPU, where a step can be scaled or skipped before the host knows the norm.
  bool decides_on_device() const;

  /// Sets the gradients of the next `step`, which must not change until then. If the state is divided, they are one
  /// tensor, that of the slice (GradientExchange). Returns their norm as one vector: a float64 scalar on their device,
  /// computed asynchronously. The norm is not finite if a gradient is not finite or the squares overflow float.
  at::Tensor set_gradients(Gradients gradients);

  struct Update {
    std::int64_t step = 1;  ///< from 1
    double learning_rate = 0;
    double gradient_factor = 1;  ///< scale applied to the gradients first
    /// In place of the factor if decides_on_device(), scalars there: the factor in float64, and 1 in float32 if nothing
    /// is to change, otherwise 0. Undefined: gradient_factor holds, and all changes.
    at::Tensor factor_on_device = {}, skip_on_device = {};
  };
  /// Updates the parameters and clears the gradients. A parameter without a gradient (on the CPU: with a gradient that
  /// is zero everywhere) keeps its value, m and v. Needs the gradients from `set_gradients`. Does not wait for a GPU.
  void step(const Update& update);
  void clear_gradients();

  /// Returns every parameter, in the order of the names. If the state is divided, m, v and ema are undefined.
  const std::vector<Slot>& slots() const { return slots_; }
  bool has_ema() const { return ema_decay_ > 0; }

  /// Returns the slots with their state: slots() unless the state is divided. Then all must call it; process 0 gets
  /// copies, the others slots().
  std::vector<Slot> slots_with_state() const;
  /// The EMA of a trained parameter.
  struct Ema {
    at::Tensor parameter, ema;
  };
  /// Returns the EMAs; an empty list without ema_decay. If the state is divided, all must call it and get copies.
  std::vector<Ema> emas() const;

  using State = FlatAdam::State;
  /// Replaces a kind of state of slots()[slot], which must be trained, by `values` of the parameter's shape.
  void set_state(State kind, std::size_t slot, const at::Tensor& values);

 private:
  void plain_step(const Update& update, double ema_weight);

  std::vector<Slot> slots_;
  std::vector<at::Tensor> trained_;
  Exchange* exchange_;
  Gradients gradients_;           ///< without flat_: of the next step
  std::optional<FlatAdam> flat_;  ///< for trained_
  double beta1_, beta2_, epsilon_, ema_decay_;
};

}  // namespace gloss
