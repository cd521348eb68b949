#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "common/error.h"
#include "pipeline/doctor/cuda_devices.h"

namespace gloss {

/// What gloss runs on, as far as it can tell.
struct MachineReport {
  std::string libtorch_built, libtorch_run;  ///< versions: of the headers, of the library that was loaded
  std::string mkl, onednn;                   ///< versions; empty where LibTorch is without
  std::string vector_code;                   ///< which of its kernels LibTorch chooses, as "AVX2"
  bool cuda_built = false;
  int cuda_devices = 0;                          ///< that LibTorch can use
  std::vector<CudaDevice> gpus;                  ///< by the driver, also where LibTorch has no use for them
  std::string sentencepiece_built;               ///< version, empty where unknown
  std::vector<std::string> sentencepiece_files;  ///< loaded
  std::vector<std::string> openmp_files;         ///< run-times loaded: one is right

  int processors = 0;                     ///< of the machine
  int usable_processors = 0;              ///< as common/system/threads.h
  std::optional<double> processor_limit;  ///< of control groups
  int threads = 0;                        ///< asked for
  int threads_got = 0;                    ///< by OpenMP
  std::vector<std::string> instructions;  ///< sets of gloss's kernels that this processor supports, the active one last
  std::map<std::string, std::string> openmp_settings;  ///< of the environment
  std::int64_t usable_memory = 0;                      ///< bytes
  std::int64_t free_memory = 0;                        ///< bytes that could be had now
  double matrix_gflops = 0;  ///< of a float32 product [1024, 1024] x [1024, 1024], the best of some
  bool optimized = true;     ///< gloss itself is
};

/// Asks libraries, processor and system; multiplies for a few tenths of a second. `threads` as set_up_runtime returned.
MachineReport look_at_machine(int threads);

/// What is slow or wrong, and what to do.
struct Remark {
  std::string message;
  std::optional<ExitCode> failure = {};  ///< how training would end; none where it only is slower
};
std::vector<Remark> remarks_on(const MachineReport& report);

Json to_json(const MachineReport& report);
Json to_json(const std::vector<Remark>& remarks);

}  // namespace gloss
