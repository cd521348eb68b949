#pragma once

namespace gloss {

/// Makes equal runs give equal bits: `threads` worker threads for tensor operations, no fewer at the system's whim, and
/// of every operation that has one the deterministic variant. To be called first in a program that trains, and in each
/// worker thread of its own. The bits still depend on the number of threads and on the kind of processor.
///
/// On a GPU runs are close, not equal: an operation without a deterministic variant runs all the same, with a warning
/// from LibTorch, and so does the backward pass of its fused attention, whose sums are added up in the order of chance.
void set_up_determinism(int threads);

}  // namespace gloss
