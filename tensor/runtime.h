#pragma once

#include <optional>
#include <string>

#include <c10/core/Device.h>

#include "common/system/process_place.h"

namespace gloss {

/// Parses "auto", "cpu", "cuda" or "cuda:N"; if LibTorch has another kind of accelerator, its name in place of cuda.
/// auto is such a device if there is one. If the process has a place among several, auto and cuda mean a device of its
/// own. Throws UsageError with the key "device" for another text, for a device that does not exist, and for fewer of
/// them than processes of this machine.
at::Device parse_device(const std::string& text, const std::optional<ProcessPlace>& place = std::nullopt);

/// Returns which of the `devices` GPUs a process takes: the one with its number on this machine. If mpirun or
/// srun shows the process only one, it takes that. Throws UsageError with the key "device" for fewer devices than
/// processes.
std::int64_t own_device(const ProcessPlace& place, std::int64_t devices);

/// Sets LibTorch's number of threads (0: as many as the process may use) and the settings under which equal input gives
/// equal bits (docs/decisions.md). Call it once a process, before any tensor exists. Returns the number of threads; if
/// the system allows fewer, it warns and returns that number.
int set_up_runtime(int threads);

/// Starts OpenMP's threads of the calling thread, unless `wanted` of them run, and returns their number: fewer if the
/// system refuses some. OpenMP alone would end the process. For threads of other programs, which call set_up_runtime
/// never. Throws UsageError if the process was forked from one in which this thread had started them: they are gone,
/// and OpenMP would wait for them for ever.
int start_threads_of_caller(int wanted);

/// Returns whether OpenMP's threads sleep between two pieces of work (OMP_WAIT_POLICY=passive, which the program sets
/// for itself). Otherwise they spin, and where anything else runs, several take longer for a little work than one.
bool openmp_threads_sleep();

/// Returns all free memory to the system. Call it between two phases of a run. Their blocks have other sizes, so the
/// caching allocator could not reuse them, and the peak would become the sum of all phases.
void give_back_memory();

/// Makes equal runs produce equal bits: `threads` worker threads for tensor operations, a fixed number, and the
/// deterministic variant of every operation that has one. Call it first in a program that trains. The bits still depend
/// on the kind of processor.
///
/// On a GPU, runs are close but not equal: operations without a deterministic variant still run, with a warning of
/// LibTorch, and the backward pass of its fused attention adds in arbitrary order.
void set_up_determinism(int threads);

}  // namespace gloss
