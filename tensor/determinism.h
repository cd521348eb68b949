#pragma once

namespace gloss {

/// Makes equal runs produce equal bits: `threads` worker threads for tensor operations, a fixed number, and the
/// deterministic variant of every operation that has one. Call it first in a program that trains. The bits still depend
/// on the kind of processor.
///
/// On a GPU, runs are close but not equal: operations without a deterministic variant still run, with a warning of
/// LibTorch, and the backward pass of its fused attention adds in arbitrary order.
void set_up_determinism(int threads);

}  // namespace gloss
