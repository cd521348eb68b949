#pragma once

#include <vector>

#include <ATen/core/Tensor.h>

#include "training/adam.h"

namespace gloss {

/// While an object lives, the model holds the EMA of its weights instead of the weights, if Adam keeps one. The
/// destructor restores the weights bit for bit.
class EmaWeights {
 public:
  /// With several processes, all must call it.
  explicit EmaWeights(const Adam& adam);
  ~EmaWeights();
  EmaWeights(const EmaWeights&) = delete;
  EmaWeights& operator=(const EmaWeights&) = delete;

 private:
  void exchange();

  std::vector<Adam::Ema> emas_;
  at::Tensor scratch_;  ///< size of the largest parameter; allocated in advance, so that restoring cannot fail
};

/// Replaces the weights by their EMA, if there is one. With several processes, all must call it.
void take_ema(const Adam& adam);

}  // namespace gloss
