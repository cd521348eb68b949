#include "tensor/determinism.h"

#include <cstdlib>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <omp.h>

namespace gloss {

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
