#pragma once

#include <ATen/core/Tensor.h>

namespace gloss {

/// Returns log(sum(exp(logits))) of each row of `logits` [rows, V]. On the CPU the bits of a row depend on the row
/// alone: at::logsumexp divides sums of more than 32,768 numbers between threads when there are few rows.
at::Tensor log_normalizers(const at::Tensor& logits);

}  // namespace gloss
