#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/encoder_decoder.h"
#include "training/flat_adam.h"
#include "training/training_config.h"

namespace gloss {

/// A model's parameters by name, tied ones once.
std::vector<std::pair<std::string, at::Tensor>> named_parameters(const EncoderDecoder& model);

/// What the gradients are to be multiplied by so that their norm, `norm` now, is at most `clip_norm` (0: unbounded).
double clip_factor(double norm, double clip_norm);

/// Adam (Kingma and Ba 2015, algorithm 1) over a model's parameters, each once, in the order of their names:
///
///     m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
///     parameter -= learning_rate * (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon)
///
/// and, where `ema_decay` is above 0, the moving mean of the parameters, which starts as the parameters themselves; its
/// decay is small at first, as in Marian and TensorFlow:
///
///     decay = min(ema_decay, (1 + step) / (10 + step))          ema = decay ema + (1 - decay) parameter
///
/// On the CPU all of it is two passes over flat buffers (training/flat_adam.h). From the making of the Adam on,
/// `parameter.grad()` is there then: contiguous, zero between updates. Autograd adds into it in place. On a device
/// LibTorch's own operations do the work, and a gradient is undefined until autograd brings one.
class Adam {
 public:
  struct Slot {
    std::string name;
    at::Tensor parameter;  ///< shared with the model
    at::Tensor m, v;       ///< moving means of gradient and squared gradient, of the parameter's shape
    at::Tensor ema;        ///< of the parameter; undefined where ema_decay is 0

    /// False where the parameter is frozen: it does not require a gradient, and nothing is kept beside it.
    bool is_trained() const { return m.defined(); }
  };

  enum class Path { kFastest, kPlain };

  /// `parameters` are (name, tensor) without repetition of a tensor; one that does not require a gradient now is
  /// frozen. `path` kPlain is for comparing: LibTorch's operations on the CPU, too. Throws ShapeError on a repetition.
  Adam(std::vector<std::pair<std::string, at::Tensor>> parameters, const TrainingConfig& config,
       Path path = Path::kFastest);

  /// The norm of all gradients as one vector, a float64 scalar on their device, which is not waited for; they must not
  /// change between here and `step`. Not finite where a gradient is not, or the squares do not fit a float.
  at::Tensor gradient_norm();

  struct Update {
    std::int64_t step = 1;  ///< from 1
    double learning_rate = 0;
    double gradient_factor = 1;  ///< what the gradients are multiplied by first
  };
  /// One update with the gradients as they are; then they are cleared. A parameter without a gradient stays as it is,
  /// and so do its m and v: on the CPU, where all gradients are there, one that is zero in every element.
  void step(const Update& update);
  void clear_gradients();

  /// Every parameter, in the order of the names.
  const std::vector<Slot>& slots() const { return slots_; }
  bool has_ema() const { return ema_decay_ > 0; }

 private:
  void plain_step(const Update& update, double ema_share);

  std::vector<Slot> slots_;
  std::optional<FlatAdam> flat_;  ///< of the slots that are trained
  double beta1_, beta2_, epsilon_, ema_decay_;
};

}  // namespace gloss
