#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/config/json.h"
#include "common/error.h"
#include "training/processes/process_group.h"

namespace gloss {

/// Properties of a GPU, as reported by its driver.
struct CudaDevice {
  std::string name;
  std::int64_t memory = 0;   ///< bytes
  int major = 0, minor = 0;  ///< compute capability

  /// Returns whether the hardware multiplies bfloat16, from Ampere on.
  bool has_bfloat16() const { return major >= 8; }
};

/// Returns the devices that the driver's library reports for this process, in CUDA's order. The result is empty if the
/// library is missing or fails. LibTorch is not used, since it may be built without CUDA.
std::vector<CudaDevice> cuda_devices(const std::string& driver = "libcuda.so.1");

/// Properties of the machine and the libraries that gloss runs on.
struct MachineReport {
  std::string libtorch_built, libtorch_run;  ///< versions of the headers and of the loaded library
  std::string mkl, onednn;                   ///< versions; empty if LibTorch is built without them
  std::string vector_code;                   ///< instruction set of LibTorch's kernels, such as "AVX2"
  bool cuda_built = false;
  int cuda_devices = 0;                          ///< devices that LibTorch can use
  std::vector<CudaDevice> gpus;                  ///< devices of the driver, even if LibTorch cannot use them
  std::string sentencepiece_built;               ///< version; empty if unknown
  std::vector<std::string> sentencepiece_files;  ///< loaded libraries
  std::vector<std::string> openmp_files;         ///< loaded libraries; should be one
  ExchangeLibraries exchange;                    ///< of several processes

  int processors = 0;                     ///< of the machine
  int usable_processors = 0;              ///< available_processors() (common/system/machine.h)
  std::optional<double> processor_limit;  ///< of control groups
  int threads = 0;                        ///< requested
  int threads_got = 0;                    ///< started by OpenMP
  std::vector<std::string> instructions;  ///< instruction sets of gloss's kernels that can run, the active one last
  std::map<std::string, std::string> openmp_settings;  ///< variables of the environment

  std::int64_t usable_memory = 0;  ///< bytes
  std::int64_t free_memory = 0;    ///< bytes available now

  double matrix_gflops = 0;  ///< best rate of a float32 product [1024, 1024] x [1024, 1024]
  bool optimized = true;     ///< gloss was compiled with optimization
};

/// Inspects libraries, processor and system, and multiplies matrices for a few tenths of a second. `threads` is the
/// result of set_up_runtime.
MachineReport examine_machine(int threads);

/// A reason why training is slow or fails, and the remedy.
struct Remark {
  std::string message;
  std::optional<ExitCode> failure = {};  ///< exit code of a training that would fail; absent if it is only slower
};

/// Returns the problems of a machine.
std::vector<Remark> remarks_on(const MachineReport& report);

Json to_json(const MachineReport& report);
Json to_json(const std::vector<Remark>& remarks);

}  // namespace gloss
