#pragma once

#include <cstdint>
#include <optional>

#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

namespace gloss {

/// Floating-point operations a second of the fastest of eight products [4096, 512] x [512, 2048] of numbers of `type`:
/// what a share of the matrix peak is a share of.
double matrix_peak(at::Device device, at::ScalarType type);

/// The most memory held so far, in MiB: on the CPU by the process, on a GPU by its tensors, or nothing where
/// LibTorch is older than 2.9 and does not say.
std::optional<std::int64_t> peak_memory_mib(at::Device device);

}  // namespace gloss
