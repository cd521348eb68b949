#pragma once

namespace gloss {

/// Makes LibTorch take the CPU memory of tensors from blocks that are kept when a tensor ends, in place of giving them
/// back to the system and faulting them in again at every step (docs/decisions.md, section 2). Blocks come in four
/// sizes to a doubling, aligned to 64 bytes; those in use and those kept are together at most one and a half times the
/// most that ever was in use; where the system has no more memory, all that are free are given back
/// before std::bad_alloc is thrown. To be called once, before the first tensor.
void use_caching_allocator();

/// Gives every free block back to the system.
void release_cached_memory();

}  // namespace gloss
