#include "pipeline/runtime.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <malloc.h>

#include "common/error.h"
#include "common/log.h"
#include "common/threads.h"
#include "model/tensor_memory.h"
#include "training/determinism.h"

namespace gloss {
at::Device parse_device(const std::string& text) {
  const int devices = at::hasCUDA() ? at::detail::getCUDAHooks().deviceCount() : 0;
  if (text == "cpu") return at::kCPU;
  if (text == "auto") return devices > 0 ? at::Device(at::kCUDA, 0) : at::Device(at::kCPU);
  const auto number = text.starts_with("cuda:") ? text.substr(5) : text == "cuda" ? "0" : "";
  if (number.empty() || number.size() > 3 || number.find_first_not_of("0123456789") != std::string::npos)
    throw UsageError({Key{"device"}, ": wanted auto, cpu, cuda or cuda:N, got " + printable(text)});
  if (devices == 0)
    throw UsageError(
        {Key{"device"}, " " + text + ": this LibTorch finds no CUDA device here; use ", Key{"device"}, " cpu"});
  const auto index = std::stoi(number);
  if (index >= devices)
    throw UsageError(
        {Key{"device"}, " " + text + ": the last CUDA device here is cuda:" + std::to_string(devices - 1)});
  return at::Device(at::kCUDA, static_cast<c10::DeviceIndex>(index));
}

int set_up_runtime(int threads) {
  if (threads <= 0) threads = available_processors();
  keep_tensor_memory();
  set_up_determinism(threads);
  return threads;
}

void give_back_memory() {
  release_free_tensor_memory();
  ::malloc_trim(0);
}

}  // namespace gloss
