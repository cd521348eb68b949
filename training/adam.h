#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

#include "model/encoder_decoder.h"
#include "training/training_config.h"

namespace gloss {

/// A model's parameters by name, tied ones once.
std::vector<std::pair<std::string, at::Tensor>> named_parameters(const EncoderDecoder& model);

/// Adam (Kingma and Ba 2015, algorithm 1) over a model's parameters, each once, in the order of their names:
///
///     m = beta1 m + (1 - beta1) g          v = beta2 v + (1 - beta2) g^2
///     parameter -= learning_rate * (m / (1 - beta1^step)) / (sqrt(v / (1 - beta2^step)) + epsilon)
class Adam {
 public:
  struct Slot {
    std::string name;
    at::Tensor parameter;  ///< shared with the model
    at::Tensor m, v;       ///< moving means of gradient and squared gradient, of the parameter's shape
  };

  /// `parameters` are (name, tensor) without repetition of a tensor. Throws ShapeError on a repetition.
  Adam(std::vector<std::pair<std::string, at::Tensor>> parameters, const TrainingConfig& config);

  /// One update with the gradients as they are, `step` from 1 (bias correction); then the gradients are cleared.
  /// A parameter without a gradient stays as it is.
  void step(std::int64_t step, double learning_rate);
  /// Multiplies every gradient by `factor` and, where their norm (of all of them as one vector) is above clip_norm
  /// (0: unbounded), shrinks them to it. Returns the norm before clipping but after `factor`; not finite where the
  /// gradients are not.
  double scale_and_clip(double factor, double clip_norm);
  void clear_gradients();

  const std::vector<Slot>& slots() const { return slots_; }

 private:
  std::vector<Slot> slots_;
  double beta1_, beta2_, epsilon_;
};

}  // namespace gloss
