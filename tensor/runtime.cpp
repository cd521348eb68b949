#include "tensor/runtime.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>

#include <ATen/Context.h>
#include <ATen/DeviceAccelerator.h>
#include <ATen/Parallel.h>
#include <malloc.h>
#include <omp.h>
#include <strings.h>
#include <unistd.h>

#include "common/error.h"
#include "common/log/log.h"
#include "common/system/machine.h"
#include "common/text/printable.h"
#include "kernels/kernel_table.h"
#include "tensor/accelerator.h"
#include "tensor/caching_allocator.h"
#include "tensor/thread_count.h"

namespace gloss {
namespace {

/// Starts OpenMP's threads of the calling thread, as many as LibTorch's number of threads.
void start_openmp(int threads) {
  std::atomic<int> running = 0;  // an empty loop would be left out by the compiler
  at::parallel_for(0, threads, 1, [&](std::int64_t, std::int64_t) { ++running; });
}

/// Starts the threads and returns their number. OpenMP ends the process if it cannot start a thread, so this tries the
/// threads first and starts them early. LibTorch starts as many again for its own pool. If not all start, half of those
/// that do are left to others.
int start_threads(int wanted) {
  const int needed = 2 * wanted - 1;
  const int started = threads_that_start(needed);
  const int threads = started == needed ? wanted : std::max(1, started / 4);
  if (threads < wanted)
    log_warning("the system gives " + std::to_string(threads) + " threads in place of " + std::to_string(wanted) +
                " (ulimit -u, ulimit -v or a control group); on those gloss computes");
  set_up_determinism(threads);
  start_openmp(threads);
  return threads;
}

}  // namespace

std::int64_t own_device(const ProcessPlace& place, std::int64_t devices) {
  if (place.is_bound && devices == 1) return 0;
  if (const auto needed = std::max(place.local_size, place.local_rank + 1); needed > devices)
    throw UsageError({Key{"device"},
                      ": wanted a GPU for each of the " + std::to_string(needed) + " processes here, got " +
                          std::to_string(devices) + "; use ",
                      Key{"device"}, " cpu, or start fewer processes"});
  return place.local_rank;
}

at::Device parse_device(const std::string& text, const std::optional<ProcessPlace>& place) {
  const int devices = accelerators();
  const auto type = devices > 0 ? *at::getAccelerator() : at::kCUDA;
  const auto name = c10::DeviceTypeName(type, /*lower_case=*/true);
  if (text == "cpu" || (text == "auto" && devices == 0)) return at::kCPU;
  if (place && text.starts_with(name + ":"))
    throw UsageError(
        {Key{"device"}, ": wanted auto, cpu or " + name + " for several processes, got " + printable(text)});
  if (devices > 0 && (text == "auto" || text == name))
    return at::Device(type, static_cast<c10::DeviceIndex>(place ? own_device(*place, devices) : 0));
  const auto colon = std::min(text.find(':'), text.size());
  const auto kind = text.substr(0, colon), number = colon < text.size() ? text.substr(colon + 1) : "0";
  if ((kind != name && kind != "cuda") || number.empty() || number.size() > 3 ||
      number.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError({Key{"device"}, ": wanted auto, cpu, " + name + " or " + name + ":N, got " + printable(text)});
  if (devices == 0 || kind != name)
    throw UsageError(
        {Key{"device"}, " " + text + ": this LibTorch finds no CUDA device here; use ", Key{"device"}, " cpu"});
  const auto index = std::stoi(number);
  if (index >= devices)
    throw UsageError({Key{"device"}, " " + text + ": the last " + c10::DeviceTypeName(type) + " device here is " +
                                         name + ":" + std::to_string(devices - 1)});
  return at::Device(type, static_cast<c10::DeviceIndex>(index));
}

int set_up_runtime(int threads) {
  kernels::active_instruction_set();  // reports a wrong GLOSS_KERNELS before any work
  if (threads <= 0) threads = available_processors();
  use_caching_allocator();
  threads = start_threads(threads);
  return threads;
}

int start_threads_of_caller(int wanted) {
  thread_local int started = 1;
  thread_local pid_t process = 0;
  if (wanted == 1) return 1;
  if (started > 1 && process != ::getpid())
    throw UsageError("threads: wanted 1 in a process that was forked from a thread that had translated, got " +
                     std::to_string(wanted) + "; translate in a new thread, or fork before the first translation");
  if (wanted > started) {
    started += threads_that_start(wanted - started + 1) - 1;
    process = ::getpid();
    const ThreadCount count(started);
    start_openmp(started);
  }
  return std::min(wanted, started);
}

bool openmp_threads_sleep() {
  static const bool sleep = [] {
    const auto* const policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr && ::strcasecmp(policy, "passive") == 0;
  }();
  return sleep;
}

void give_back_memory() {
  release_cached_memory();
  ::malloc_trim(0);
}

void set_up_determinism(int threads) {
  omp_set_dynamic(0);
  at::set_num_threads(threads);
  ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);  // required for deterministic cuBLAS
  // In strict mode, an operation without a deterministic variant would end the run.
  at::globalContext().setDeterministicAlgorithms(true, /*warn_only=*/true);
  // Filling new memory would hide reads before writes, and takes time.
  at::globalContext().setDeterministicFillUninitializedMemory(false);
  at::globalContext().setBenchmarkCuDNN(false);
}

}  // namespace gloss
