#pragma once

#include <ATen/core/Tensor.h>

#include "training/adam.h"

namespace gloss {

/// While it lives, the model holds the moving mean of its weights in place of the weights, where the Adam keeps one;
/// then the weights are back, bit for bit.
class EmaWeights {
 public:
  explicit EmaWeights(const Adam& adam);
  ~EmaWeights();
  EmaWeights(const EmaWeights&) = delete;
  EmaWeights& operator=(const EmaWeights&) = delete;

 private:
  void exchange();

  const Adam* adam_;
  at::Tensor scratch_;  ///< as large as the largest parameter, made beforehand: nothing can fail on the way back
};

/// Makes the moving mean, where there is one, the weights.
void take_ema(const Adam& adam);

}  // namespace gloss
