// Replaces nccl.cpp in a build without a LibTorch for CUDA or without NCCL's headers.
#include "common/error.h"
#include "training/processes/nccl.h"
#include "training/processes/process_group.h"

namespace gloss {

std::string nccl_version() { return ""; }

void set_up_gpu_exchange(const ProcessPlace&, at::Device) {
  throw UsageError(
      "several processes on GPUs: this gloss was built without NCCL (docs/building.md); start one process, or several "
      "with --device cpu");
}

c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>&, std::int64_t, std::int64_t,
                                               std::chrono::milliseconds) {
  throw Error(ExitCode::kFault, "NCCL was not set up");
}

}  // namespace gloss
