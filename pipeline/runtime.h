#pragma once

#include <string>

#include <c10/core/Device.h>

namespace gloss {

/// Parses "auto", "cpu", "cuda" or "cuda:N". auto is a CUDA device if there is one. Throws UsageError with the key
/// "device" for another text, and for a CUDA device that does not exist.
at::Device parse_device(const std::string& text);

/// Sets LibTorch's number of threads (0: as many as the process may use) and the settings under which equal input gives
/// equal bits (docs/decisions.md). Call it once a process, before any tensor exists. Returns the number of threads; if
/// the system allows fewer, it warns and returns that number.
int set_up_runtime(int threads);

/// Returns all free memory to the system. Call it between two phases of a run. Their blocks have other sizes, so the
/// caching allocator could not reuse them, and the peak would become the sum of all phases.
void give_back_memory();

}  // namespace gloss
