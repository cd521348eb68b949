#pragma once

namespace gloss {

/// Replaces LibTorch's CPU allocator by a caching one, which keeps freed blocks for reuse (docs/decisions.md, section
/// 2). Call it once, before the first tensor. Block sizes come in four classes per doubling, aligned to 64 bytes. Used
/// and cached blocks together take at most 1.5 times the peak of used memory. If the system has no more memory, all
/// cached blocks are freed before std::bad_alloc is thrown.
void use_caching_allocator();

/// Returns every cached block to the system.
void release_cached_memory();

}  // namespace gloss
