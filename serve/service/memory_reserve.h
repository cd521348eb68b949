#pragma once

namespace gloss {

/// Memory that is given back when an allocation fails, so that there is some for the destructors and the answer of the
/// request that failed. One object in a process at a time.
class MemoryReserve {
 public:
  MemoryReserve();
  MemoryReserve(const MemoryReserve&) = delete;
  MemoryReserve& operator=(const MemoryReserve&) = delete;
  ~MemoryReserve();

  /// Takes the memory again, if it was given back and there is some. Any thread may call it.
  void refill();
};

}  // namespace gloss
