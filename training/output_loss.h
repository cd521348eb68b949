#pragma once

#include <ATen/core/Tensor.h>

#include "model/generator.h"
#include "training/label_smoothing.h"

namespace gloss {

enum class OutputPath { kFastest, kPlain };

/// The generator and its label-smoothed loss in one operation: label_smoothed_loss(generator(x), wanted, epsilon), to
/// rounding, forward and gradient. x [N, D], wanted [N] int64; rows that want pad do not count. The sums are float64.
///
/// It goes over slices of rows, each of whose logits, loss and gradient are finished before the next: [N, V] never
/// exists. The gradient is therefore ready with the loss; the backward pass hands it out. In float32 on the CPU kernels
/// work on a slice while it is in the cache; elsewhere, and with kPlain, which is for comparing, LibTorch's operations.
/// Under LibTorch's autocast those round the factors of products as it would, and add up in float32.
/// Throws ShapeError where shapes do not agree or, on the CPU, an id lies outside the vocabulary.
LossSums output_loss(const Generator& generator, const at::Tensor& x, const at::Tensor& wanted, double epsilon,
                     OutputPath path = OutputPath::kFastest);

}  // namespace gloss
