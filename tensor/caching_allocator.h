#pragma once

#include <cstddef>

namespace gloss {

/// Replaces LibTorch's CPU allocator by a caching one, which keeps freed blocks for reuse (docs/decisions.md, section
/// 2). Call it once, before the first tensor. Block sizes come in four classes per doubling, aligned to 64 bytes. Used
/// and cached blocks together take at most 1.5 times the peak of used memory. If the system has no more memory, all
/// cached blocks are freed before std::bad_alloc is thrown.
void use_caching_allocator();

/// Makes tensors leave this many bytes of the process's address space (ulimit -v) to all else. std::bad_alloc then
/// means that a batch was too large; small objects, of which destructors and answers to requests need some, still get
/// memory.
void keep_memory_free(std::size_t bytes);

/// Returns whether there are that many bytes now, if need be after all cached blocks were freed.
bool is_memory_free();

/// Returns every cached block to the system, also those that LibTorch keeps on a GPU.
void release_cached_memory();

}  // namespace gloss
