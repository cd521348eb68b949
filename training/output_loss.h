#pragma once

#include <ATen/core/Tensor.h>

#include "model/generator.h"
#include "training/label_smoothing.h"

namespace gloss {

/// The generator and its label-smoothed loss in one operation: label_smoothed_loss(generator(x), wanted, epsilon), to
/// rounding, forward and gradient. x [N, D], wanted [N] int64; rows that want pad do not count.
///
/// On the CPU it goes over slices of rows: a slice's logits, loss and gradient are finished while they are in the
/// cache, so that [N, V] never exists. The gradient is therefore ready with the loss; the backward pass hands it out.
/// Throws ShapeError where shapes do not agree or an id lies outside the vocabulary.
LossSums output_loss(const Generator& generator, const at::Tensor& x, const at::Tensor& wanted, double epsilon);

}  // namespace gloss
