#pragma once

#include <cstdint>

#include <c10/core/Allocator.h>

namespace gloss::study {

/// Counts the bytes of the CPU tensors that are allocated while it exists. Use one at a time. Measure seconds without
/// it: blocks come from the system and are not kept.
class TensorMemory {
 public:
  TensorMemory();
  ~TensorMemory();
  TensorMemory(const TensorMemory&) = delete;
  TensorMemory& operator=(const TensorMemory&) = delete;

  /// The largest number of bytes at one time.
  std::int64_t peak() const;

 private:
  c10::Allocator* previous_;
};

}  // namespace gloss::study
