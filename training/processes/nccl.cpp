// Chooses parts of c10d's headers.
#define USE_C10D_NCCL
#define USE_DISTRIBUTED

#include "training/processes/nccl.h"

#include <cstdlib>
#include <string>

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/csrc/cuda/nccl.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupNCCL.hpp>

#include "common/error.h"
#include "common/system/process_place.h"
#include "training/processes/process_group.h"

namespace gloss {
namespace {

std::string text_of_version(std::uint64_t major, std::uint64_t minor, std::uint64_t patch) {
  return std::to_string(major) + '.' + std::to_string(minor) + '.' + std::to_string(patch);
}

std::string version_of_libtorch() {
  const auto version = torch::cuda::nccl::version();
  return text_of_version(version >> 32, version >> 16 & 0xffff, version & 0xffff);
}

std::string version_of_headers() { return text_of_version(NCCL_MAJOR, NCCL_MINOR, NCCL_PATCH); }

}  // namespace

std::string nccl_version() { return version_of_headers() == version_of_libtorch() ? version_of_headers() : ""; }

void set_up_gpu_exchange(const ProcessPlace& place, at::Device device) {
  // NCCL's structures, which c10d holds by value, grow with its version.
  if (nccl_version().empty())
    throw UsageError("several processes on GPUs: gloss was built with the headers of NCCL " + version_of_headers() +
                     ", LibTorch with NCCL " + version_of_libtorch() +
                     "; build gloss with the headers of that version");
  c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
  // Then c10d starts no threads that would abort the process at an error; ProcessGroup looks for errors itself.
  ::setenv("TORCH_NCCL_BLOCKING_WAIT", "1", /*overwrite=*/1);
  const auto interface = environment_variable("GLOO_SOCKET_IFNAME").value_or("");
  if (is_loopback(place.address))
    ::setenv("NCCL_SOCKET_IFNAME", "lo", /*overwrite=*/1);
  else if (!interface.empty())
    ::setenv("NCCL_SOCKET_IFNAME", interface.c_str(), /*overwrite=*/0);
}

c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store, std::int64_t rank,
                                               std::int64_t size, std::chrono::milliseconds limit) {
  const auto options = c10d::ProcessGroupNCCL::Options::create();
  options->timeout = limit;
  return c10::make_intrusive<c10d::ProcessGroupNCCL>(c10::make_intrusive<c10d::PrefixStore>("nccl", store),
                                                     static_cast<int>(rank), static_cast<int>(size), options);
}

}  // namespace gloss
