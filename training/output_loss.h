#pragma once

#include <ATen/core/Tensor.h>

#include "model/generator.h"
#include "training/label_smoothing.h"

namespace gloss {

/// Implementation of output_loss: kernels if possible, or LibTorch's operations, for comparison.
enum class OutputPath { kFastest, kPlain };

/// Computes the generator and its label-smoothed loss in one operation. The result equals
/// label_smoothed_loss(generator(x), targets, epsilon) to rounding, forward and gradient. x [N, D], targets [N] int64;
/// rows with the target pad do not count. The sums are float64.
///
/// The work is done in slices of rows: logits, loss and gradient of a slice are finished before the next begins, so
/// that the logits [N, V] never exist at once. The gradient is computed together with the loss, and the backward pass
/// only returns it. In float32 on the CPU, kernels work on a slice while it is in the cache. Otherwise, and with
/// kPlain, LibTorch's operations do. Under LibTorch's autocast they round the factors of products as autocast does, and
/// sum in float32.
///
/// `int8` rounds the factors of the product as Pass::int8 does. Throws ShapeError if shapes do not agree or, on the
/// CPU, if an id is outside the vocabulary.
LossSums output_loss(const Generator& generator, const at::Tensor& x, const at::Tensor& targets, double epsilon,
                     OutputPath path = OutputPath::kFastest, Int8Scales int8 = Int8Scales::kNone);

}  // namespace gloss
