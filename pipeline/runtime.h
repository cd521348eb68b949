#pragma once

#include <string>

#include <c10/core/Device.h>

namespace gloss {

/// "auto", "cpu", "cuda" or "cuda:N". auto is a CUDA device where there is one. Throws UsageError, whose key is
/// "device", on another text and where CUDA was asked for and is not there.
at::Device parse_device(const std::string& text);

/// Once a process, before any tensor: LibTorch's threads (0: as many as the process may use) and the settings under
/// which equal input gives equal bits (docs/decisions.md). Returns the number of threads, which is
/// less, with a warning, where the system gives fewer.
int set_up_runtime(int threads);

/// Gives the system back all memory that is free, where one phase of a run ends and another takes blocks of other
/// sizes: they would not share the kept ones, and the peak would become the sum of all phases.
void give_back_memory();

}  // namespace gloss
