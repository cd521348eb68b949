#pragma once

#include <cstdint>

#include <c10/core/Device.h>

namespace gloss {

/// Floating-point operations a second of the largest of eight float32 products [4096, 512] x [512, 2048]: what a share
/// of the matrix peak is a share of.
double matrix_peak(at::Device device);

/// The most memory that the process held so far, in MiB.
std::int64_t peak_memory_mib();

}  // namespace gloss
