#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace gloss {

/// Returns the version of NCCL; empty if this build has none, or another than LibTorch is built with.
std::string nccl_version();

/// Returns LibTorch's exchange of tensors on GPUs, by NCCL, which connects at the first exchange. `limit`: time for
/// each. It must never be destroyed: after a failure its destructor waits for the other processes.
c10::intrusive_ptr<c10d::Backend> nccl_backend(const c10::intrusive_ptr<c10d::Store>& store, std::int64_t rank,
                                               std::int64_t size, std::chrono::milliseconds limit);

}  // namespace gloss
