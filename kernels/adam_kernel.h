#pragma once

#include <cstdint>

namespace gloss::kernels {

/// The numbers of one Adam update (training/adam.h).
struct AdamNumbers {
  float gradient_factor;  ///< scale applied to each gradient before anything else
  float one_minus_beta1;  ///< 1 - beta1
  float beta2;
  float one_minus_beta2;     ///< 1 - beta2
  float step_size;           ///< learning_rate / (1 - beta1^step)
  float root_of_correction;  ///< sqrt(1 - beta2^step)
  float epsilon;
  float ema_weight;  ///< weight of the new value in the exponential moving average
};

/// `count` elements of one parameter, with their gradient and optimizer state.
struct AdamSpan {
  float* parameter;
  const float* gradient;
  float* m;
  float* v;
  float* ema;  ///< null: no moving average of the weights is kept
  std::int64_t count;
};

/// Updates the span in one pass. With g = gradient_factor * gradient:
///
///     m += one_minus_beta1 (g - m)          v = beta2 v + one_minus_beta2 g^2
///     parameter -= step_size * m / (sqrt(v) / root_of_correction + epsilon)
///     ema += ema_weight * (parameter - ema)
using AdamKernel = void(const AdamSpan& span, const AdamNumbers& numbers);

/// Returns the sum of the squares of `count` values, computed in double.
using SquaresKernel = double(const float* values, std::int64_t count);

}  // namespace gloss::kernels
